import fc from 'fast-check';

/** For tests: parts of names whose ends a stemmer of English takes for endings of words. */
const WORDS = [
  ...[
    'agent',
    'retry',
    'retries',
    'handler',
    'dispatcher',
    'family',
    'levels',
    'scheduler',
    'exceeded',
    'result',
  ],
  ...[
    'timeout',
    'factor',
    'source',
    'snapshot',
    'soft',
    'limit',
    'global',
    'select',
    'persistent',
    'connection',
  ],
  ...['settings', 'options', 'generically', 'running', 'is', 'the', 'on', 'http', 'db', 'io', 'v2', 'utf8'],
];

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

const parts = fc.array(fc.constantFrom(...WORDS), { minLength: 2, maxLength: 10 });
const joined = fc.oneof(
  parts.map((words) => words.map(capitalised).join('')),
  parts.map(([first = '', ...words]) => first + words.map(capitalised).join('')),
  parts.map((words) => words.join('_')),
  parts.map((words) => words.join('_').toUpperCase()),
);

/** Names as code has them, plain and dotted: `SnapshotAgent`, `maxRetries`, `read_timeout`, `app.conf.SoftLimit`. */
export const codeName = fc.oneof(
  joined,
  fc.array(joined, { minLength: 2, maxLength: 3 }).map((names) => names.join('.')),
);
