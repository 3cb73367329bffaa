"""Engines as `selfplay match --engine` wants them: parts joined by commas, a comma inside a part with a backslash."""


def joined(parts):
    return ",".join(part.replace(",", "\\,") for part in parts)


def process(name, command, options, *more):
    """Another program that speaks UCI."""
    settings = (f"option.{option}={value}" for option, value in options.items())
    return joined([f"cmd={command}", f"name={name}", *settings, *more])


def in_process(name, weights, book=None):
    """Our engine without a pipe."""
    return "self:" + joined([f"weights={weights}", *([f"book={book}"] if book else []), f"name={name}"])
