const MOST_CAUSES = 8;
const MAX_FRAME = 500;
/** A line of a stack, as against one of a message of several lines. */
const FRAME = /^ {4}at (?:.+ \()?(?:file:|node:|\/|[A-Z]:).*:\d+:\d+\)?$/;
/** What an error has that stands for an answer of a server, by the names that clients give it. */
const OF_ANSWERS = ['statusCode', 'status', 'responseBody', 'response', 'body', 'meta', 'data'] as const;

/**
 * An error and its causes with their stacks, for debugging. What a server answered is left out: it may repeat
 * headers and keys of the request, or documents.
 */
export function describeChain(error: Error): string {
  const described: string[] = [];
  for (let next: unknown = error; next instanceof Error && described.length < MOST_CAUSES; next = next.cause)
    described.push(describe(next));
  return described.join('\ncaused by: ');
}

function describe(error: Error): string {
  if (!isOfServer(error)) return error.stack ?? error.message;
  const frames = (error.stack ?? '')
    .split('\n')
    .filter((line) => line.length < MAX_FRAME && FRAME.test(line));
  return [`${error.name}${statusOf(error)}: (the server's words are not logged)`, ...frames].join('\n');
}

// Our own errors are told by shape, as in `errors.ts`; their words are ours.
const isOfServer = (error: Error): boolean =>
  !('reason' in error && 'category' in error) && OF_ANSWERS.some((name) => name in error);

function statusOf(error: Error): string {
  const status: unknown = Reflect.get(error, 'statusCode') ?? Reflect.get(error, 'status');
  return typeof status === 'number' ? ` ${status}` : '';
}
