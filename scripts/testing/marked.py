"""Parts of pages that scripts write: between `<!-- NAME -->` and `<!-- end of NAME -->`."""


def write_marked(path, name, text):
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    head, rest = path.read_text(encoding="utf-8").split(begin)
    tail = rest.split(end)[1]
    path.write_text(head + begin + text + "\n" + end + tail, encoding="utf-8")
