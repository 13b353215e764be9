/** A pasted stack trace: what it says, and the calls that led there. */
export interface StackTrace {
  /** Its lines that are no frames: the error and its causes, and whatever was written around it. */
  readonly message: string;
  readonly frames: string;
  readonly frameCount: number;
}

/** Characters of the longest line that is a frame: patterns take their time on more. */
const LONGEST_FRAME = 500;

/** Fewer frames leave the words of a text the last word. */
const LEAST_FRAMES = 2;

/** Lines of traces that name a call, a place in a file or how many were left out. */
const FRAMES: readonly RegExp[] = [
  // JavaScript, Java, Kotlin, Scala, C#, PowerShell, Rust's second lines.
  /^\s*at\s\S.*(?:\)|:\d+|\bline \d+)\s*$/,
  /^\s*\.{3} \d+ (?:more|common frames omitted)\b/,
  // Firefox, Safari.
  /^\S*@\S+:\d+(?::\d+)?\s*$/,
  // Python, with the bars of exception groups.
  /^[\s|+-]*File ".*", line \d+/,
  // Go.
  /^goroutine \d+ \[[^\]]*\]:\s*$/,
  /^\s+\S+\.go:\d+(?: \+0x[\da-f]+)?\s*$/,
  /^[\w./*()-]+\.[\w.*()-]+\((?:0x[\da-f]+|\.{3}|\?|[{}, ])*\)\s*$/,
  /^created by \S+/,
  // Rust, Swift, Objective-C, Kotlin.
  /^\s*\d+:\s+(?:0x[\da-f]+ - )?\S*::\S+\s*$/,
  /^\s*(?:at )?\d+\s+\S+\s+0x[\da-f]+\s/,
  // Ruby, whose first line says the error behind its place.
  /^\s*(?:from\s+)?\S+\.rb:\d+:in [`'].*'\s*$/,
  // PHP, gdb.
  /^\s*#\d+\s+(?:0x[\da-f]+ in |\S+\(\d+\): |\{main\}|\[internal function\]|\S+ \()/,
  // Elixir, Perl.
  /^\s+\([\w.]+(?: [\d.]+)?\) \S+\.exs?:\d+:/,
  /\bcalled at \S+ line \d+/,
];

/** Quoted source below a frame of Python, and the marks below that. */
const PYTHON_FRAME = /^([\s|+-]*)File ".*", line \d+/;
const MARKS = /^[\s|]*[\^~]+\s*$/;

/** What programs and people write before each line: quotation marks, names of containers, times, levels. */
const PREFIX =
  /^(?:>[ \t]?|[\w.-]+[ \t]*\|(?:[ \t](?=\S|[ \t])|$)|\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?[ \t]|[A-Z][a-z]{2}[ \t]+\d{1,2} [\d:]{8} \S+ \S+: |std(?:out|err) [FP] |\[[^\]]*\][ \t]|(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL)[: \t])/;
/** Prefixes of one line, at most. */
const MOST_PREFIXES = 6;

/** Where lines of a trace begin that was pasted as one line. */
const JOINED =
  /(?<![ \t])[ \t]+(?=at (?:async |new )?[\w.$<>/#[\]]+ ?\((?:[^()\n]*:\d+|Native Method|Unknown Source|<anonymous>)\)|at \S+:\d+:\d+(?:\s|$)|File "[^"\n]*", line \d|Caused by: |Suppressed: |\.{3} \d+ more\b|from \S+\.rb:\d+:in )/g;
/** What stands behind a frame of Python in the same line: quoted source, until an error is named. */
const PYTHON_JOINED = /(File "[^"\n]*", line \d+, in \S+)[ \t]+(?=\S)/g;
const ERROR_JOINED =
  /(?<![ \t])[ \t]+(?=(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Warning|Interrupt|Exit|Group)(?::|\s*$))/gm;

/** The trace that a text is, as lines or joined to one, else undefined. Linear time. */
export function readStackTrace(text: string): StackTrace | undefined {
  return readLines(text.split(/\r?\n/).map(withoutPrefix)) ?? readLines(partedFrames(text).split('\n'));
}

/** What a line of a log begins with: a day and a time of it. */
const LOGGED = /^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d/;

/** Whether at least half of the lines of a text are of a trace or a log. */
export function isMostlyLog(text: string): boolean {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const frames = readLines(lines.map(withoutPrefix))?.frames.split('\n').length ?? 0;
  const logged = lines.filter((line) => LOGGED.test(line)).length;
  return lines.length > 1 && 2 * (frames + logged) >= lines.length;
}

function partedFrames(text: string): string {
  const parted = text.replaceAll(JOINED, '\n  ');
  return parted.includes('\n  File "')
    ? parted.replaceAll(ERROR_JOINED, '\n').replaceAll(PYTHON_JOINED, '$1\n    ')
    : parted;
}

function withoutPrefix(line: string): string {
  let rest = line;
  for (let i = 0; i < MOST_PREFIXES; i++) {
    const cut = rest.replace(PREFIX, '');
    if (cut === rest) break;
    rest = cut;
  }
  return rest;
}

function readLines(lines: readonly string[]): StackTrace | undefined {
  const message: string[] = [];
  const frames: string[] = [];
  let frameCount = 0;
  // Whether the line before was a place in Python source.
  let depth: number | undefined;
  for (const line of lines) {
    if (line.length > LONGEST_FRAME) {
      message.push(line);
      continue;
    }
    const isQuoted = depth !== undefined && indentOf(line) > depth && line.trim() !== '';
    if (isQuoted || MARKS.test(line)) {
      frames.push(line);
      continue;
    }
    depth = PYTHON_FRAME.exec(line)?.[1]?.length;
    if (FRAMES.some((frame) => frame.test(line))) {
      frames.push(line);
      frameCount += 1;
    } else message.push(line);
  }
  const said = message.join('\n').trim();
  return frameCount < LEAST_FRAMES || said === ''
    ? undefined
    : { message: said, frames: frames.join('\n'), frameCount };
}

const indentOf = (line: string): number => line.length - line.replace(/^[\s|]+/, '').length;
