"""Swift source as an operator sees it: comments and the text of strings are blanks, so that what is found is code."""
import re

# A string over several lines, one of a line, a regular expression between slashes, and comments. Interpolations are taken for text.
_HIDDEN = re.compile(
    r'#*"""(?:.|\n)*?"""#*|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*(?:.|\n)*?\*/|(?<=[\(\s])/(?=[^\s/*])[^/\n]+/(?=[\)\s,.])')
_PAIRS = {"(": ")", "[": "]", "{": "}"}


def code_only(text):
    """The text with a blank for each character that is no code. Offsets and lines stay."""
    return _HIDDEN.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def is_balanced(code):
    """Whether each bracket is closed in it."""
    return clauses(code) is not None


def clauses(code):
    """The ranges between the commas that are in no bracket; None where a bracket is open."""
    ranges, begin, open_brackets = [], 0, []
    for index, character in enumerate(code):
        if character in _PAIRS:
            open_brackets.append(_PAIRS[character])
        elif character in _PAIRS.values():
            if not open_brackets or open_brackets.pop() != character:
                return None
        elif character == "," and not open_brackets:
            ranges.append((begin, index))
            begin = index + 1
    return None if open_brackets else ranges + [(begin, len(code))]
