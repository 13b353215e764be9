/** Words of documentation where a secret would stand. Parts of words count: `YOUR-KEY-HERE`, `AKIAIOSFODNN7EXAMPLE`. */
const WORDS =
  /example|changeme|change[-_]me|placeholder|redacted|dummy|your[-_ ]|[-_]here$|insert|replace[-_]?me|to-?do|not[-_]?set|\bsample\b|<|\.\.\.|…/i;
/** `${TOKEN}`, `$PASS`, `{{ vault_key }}`, `%PASSWORD%`, `[token]`, `!vault`, `op://`, `env:NAME`. */
const REFERENCES =
  /^(?:\$\{|\$\(|\$[A-Za-z_]\w*$|\{|%\w+%$|%[sdv]$|\[|!\w+$|&\w+$|\*[A-Za-z_]|(?:env|file|vault|secret|op|arn|ref|ssm|kms|azurekeyvault|https?|keyvault)[:/]|@\w+\(|process\.env\b|os\.environ|System\.getenv)/i;
const ONE_CHARACTER = /^(.)\1*$/u;
const FILLER = /^[*xX.\-_#•?0 ]+$/u;
/** The last characters of it are shown. */
const MASKED = /^[*•●][*•●-]{2,}\w{0,4}$/u;
const LITERALS =
  /^(?:null|nil|none|true|false|undefined|string|boolean|number|object|any|required|optional|empty|blank|hidden|masked|secret|password|passwd|passwort|pass|pwd|token|key|apikey|api[-_]key|value|test|unset|missing|invalid|yes|no|n\/a|user|1password|foo|bar|baz|input|text|varchar(?:\(\d+\))?)$/i;

/** Whether a value only shows where a secret goes, or names the place it is kept. */
export const isPlaceholder = (value: string): boolean =>
  WORDS.test(value) ||
  REFERENCES.test(value) ||
  ONE_CHARACTER.test(value) ||
  FILLER.test(value) ||
  MASKED.test(value) ||
  LITERALS.test(value);
