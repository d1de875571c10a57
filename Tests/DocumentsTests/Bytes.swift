/// The bytes of a text. For `==`, composed and decomposed characters are equal.
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
