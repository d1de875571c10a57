/// The bytes of a text: `==` of strings takes different spellings of one character for equal.
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
