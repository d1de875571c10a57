"""What a mutant does to the code. A fault and the right code stand beside each other, and `isMutant(NUMBER)` tells which of them runs: one
build holds all faults."""
import collections
import dataclasses
import re

from mutation.source import clauses, code_only, is_balanced


@dataclasses.dataclass(frozen=True)
class Mutant:
    """A fault in one line."""

    path: str
    # From 0.
    line: int
    # What the line is without the fault, and what the fault is, in words: together with the path they say which fault it is.
    code: str
    fault: str
    # The line with the right code and the fault; `{number}` stands where the mutant's number goes.
    template: str
    # From 1, of lines that are the same.
    occurrence: int = 1

    @property
    def name(self):
        which = f" (line {self.occurrence} of these)" if self.occurrence > 1 else ""
        return f"{self.path}: {self.code}{which}  [{self.fault}]"

    def text(self, number):
        return self.template.replace("{number}", str(number))


# In an expression: a pattern, and what stands there instead.
_EXCHANGES = [
    (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "), (r" && ", " || "), (r" \|\| ", " && "),
    (r" \+ 1\b", " + 0"), (r" - 1\b", " - 0"), (r"\bmin\(", "max("), (r"\bmax\(", "min("),
    (r"\.first\b(?!\()", ".last"), (r"\.last\b(?!\()", ".first"),
]
_CONDITION = re.compile(r"^(\s*(?:\} else )?(?:if|guard|while) )(.+?)( (?:else )?\{.*)$")
_VALUE = re.compile(r"^(\s*(?:return|(?:let|var) \w+ =|[\w.]+ =) )(.+)$")
_STATEMENT = re.compile(r"^(\s*)((?:try )?(?:await )?[a-z_]\w*(?:[?!]?\.\w+)*(?:\(.*\)| [-+]?= .+))$")
# Clauses that bind or match are no values.
_BINDING = re.compile(r"^\s*(?:let|var|case|#available|_ =)\b")
_KEYWORD = re.compile(r"^\s*(?:return|let|var|case|default|throw|if|guard|while|for|switch|else|defer|func|init|deinit|super|assert|precondition"
                      r"|fatalError|import|in|where|do|catch|repeat|break|continue|self\.init)\b")
_LOG = re.compile(r"\blogger\b|\blog\.")
# A line after one that ends so is a statement of its own.
_ENDED = re.compile(r"(?:[{}\)\w\]\"?!]|\bin|:|->.*\{)\s*$")
_UNFINISHED = re.compile(r"(?:\breturn|\belse|[-+*/=,&|?(\[.<>]|\?\?)\s*$")


def mutants(path, text):
    """All faults that can be made in a file, at most a few in a line."""
    lines, code = text.split("\n"), code_only(text).split("\n")
    is_in_initializer = _initializers(code)
    seen = collections.Counter()
    for number, (line, visible) in enumerate(zip(lines, code)):
        # After a comment nothing can be added to a line.
        if _LOG.search(visible) or "//" in line:
            continue
        seen[line.strip()] += 1
        previous = next((before for before in reversed(code[max(0, number - 3):number]) if before.strip()), "")
        following = code[number + 1] if number + 1 < len(code) else ""
        for fault, template in _of_line(line, visible, previous, following, is_in_initializer[number]):
            yield Mutant(path, number, line.strip(), fault, template, seen[line.strip()])


def _of_line(line, code, previous, following, is_in_initializer):
    if match := _CONDITION.match(code):
        yield from _of_condition(line, code, match)
    elif (match := _VALUE.match(code)) and _is_whole(match[2], following):
        yield from _of_value(line, code, match)
    if (match := _STATEMENT.match(code)) and not _KEYWORD.match(code) and not is_in_initializer and _is_statement(match, previous, following):
        indentation, statement = match[1], line[len(match[1]):]
        yield "removed", f"{indentation}if !isMutant({{number}}) {{ {statement} }}"


def _of_condition(line, code, match):
    begin, condition = match.end(1), match[2]
    for first, last in clauses(condition) or []:
        clause = condition[first:last]
        if _BINDING.match(clause) or not clause.strip():
            continue
        first += len(clause) - len(clause.lstrip())
        right = line[begin + first:begin + last]
        before, after = line[:begin + first], line[begin + last:]
        yield f"`{right}` is negated", f"{before}(({right}) != isMutant({{number}})){after}"
        for fault, wrong in _exchanged(right, code[begin + first:begin + last]):
            yield fault, f"{before}(isMutant({{number}}) ? ({wrong}) : ({right})){after}"


def _of_value(line, code, match):
    begin, right = match.end(1), line[match.end(1):]
    value = code[begin:]
    if value.strip() in ("true", "false"):
        yield f"`{value.strip()}` is `{'false' if value.strip() == 'true' else 'true'}`", f"{line[:begin]}{right} != isMutant({{number}})"
    for fault, wrong in _exchanged(right, value):
        yield fault, f"{line[:begin]}isMutant({{number}}) ? ({wrong}) : ({right})"


def _exchanged(right, code):
    for pattern, other in _EXCHANGES:
        if match := re.search(pattern, code):
            wrong = right[:match.start()] + other + right[match.end():]
            yield f"`{right}` is `{wrong}`", wrong


def _is_whole(expression, following):
    """Whether an expression ends with its line."""
    return is_balanced(expression) and not expression.rstrip().endswith(("{", "?", "=", "(", "&&", "||")) \
        and not re.match(r"\s*(?:[.?:&|+]|else\b|\{|catch\b)", following)


def _is_statement(match, previous, following):
    return is_balanced(match[2]) and _is_whole(match[2], following) and bool(_ENDED.search(previous)) and not _UNFINISHED.search(previous)


def _initializers(code):
    """For each line, whether it is in an initializer: there, a statement that is missing does not compile."""
    inside, indentation, answer = False, 0, []
    for line in code:
        if match := re.match(r"^(\s*)(?:@\w+ |public |private |fileprivate |internal |convenience )*init[?(<]", line):
            inside, indentation = True, len(match[1])
        answer.append(inside)
        if inside and line.startswith(" " * indentation + "}"):
            inside = False
    return answer
