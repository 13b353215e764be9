import * as z from 'zod';
import { secretText, stringList, wholeNumber } from '../../core/setting-values.js';
import { REDACTION_TYPES } from '../../platform/security/redaction/detection.js';
import { REDACTION_MODES } from '../../platform/security/redaction/replacement.js';

const types = () => z.array(z.enum(REDACTION_TYPES)).min(1);

const redaction = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe(
        'Take personal data and secrets out of documents before they are cut, embedded and stored. Changing it processes every document again.',
      ),
    mode: z
      .enum(REDACTION_MODES)
      .default('replace')
      .describe(
        'What stands in place of a value: `[EMAIL]`; its shape in asterisks; or a token that holders of `key` can turn back.',
      ),
    types: types()
      .default([...REDACTION_TYPES])
      .describe(
        'What is taken out. Leave out `IP_ADDRESS` where addresses of machines are what people search for.',
      ),
    key: secretText()
      .optional()
      .describe(
        'Key of `mode: token`, at least 32 characters, best by a variable of the environment. Always masked in output.',
      ),
  })
  .prefault({})
  .describe('Personal data and secrets in documents.');

const rule = z.strictObject({
  sources: stringList().optional().describe('Names of sources.'),
  paths: stringList()
    .optional()
    .describe("Patterns as in `.gitignore` over document ids: paths relative to the source's root."),
  labels: stringList().optional().describe("Any of these among a document's `labels` or `tags`."),
  contains: stringList().optional().describe('Any of these texts in title or text, in whatever case.'),
  holds: types()
    .optional()
    .describe('Any of these types of personal data or secrets in it, whether or not they are taken out.'),
  level: wholeNumber(0).optional().describe('Security level: read at this clearance and above.'),
  groups: stringList().optional().describe('Groups that may read it; `*` for everyone in the tenant.'),
});

const access = z
  .strictObject({
    rules: z
      .array(rule)
      .default([])
      .describe(
        'Conditions, all of which must hold, and the level and groups that follow. Where several rules fit, the highest level counts, and only groups that all of them name.',
      ),
    defaultLevel: wholeNumber(0)
      .optional()
      .describe(
        'Level of a document that no rule with a level fits. Default: the highest level that a rule states.',
      ),
  })
  .prefault({})
  .describe('Who may read which document. Without rules, what the source says.');

const encryption = z
  .strictObject({
    fields: stringList()
      .prefault([])
      .describe(
        'Metadata fields that are encrypted before anything is stored, by the names that callers and documents give them. They are shown to readers of the document, cannot be filtered, and stand in no text that states them: front matter, members of JSON and YAML at any depth, columns and rows of tables, headers of mail, terms of lists, `name: value` lines, comments of source code, and sentences whose value is told by its form. Letters in capitals, blanks, `_`, `-` and an English plural of names do not count. Changing it processes every document again; what was pushed is cleaned by `ragstone encryption rotate`.',
      ),
    keys: z
      .array(
        z.strictObject({
          id: z
            .string()
            .regex(/^[\w-]{1,64}$/, 'must be letters, digits, _ and -')
            .describe('Name of the key. It stands beside each value that the key encrypted.'),
          key: secretText().describe(
            '32 bytes in base64 (`openssl rand -base64 32`) or as 64 hexadecimal digits, best by a reference such as `env:NAME`. Always masked in output.',
          ),
        }),
      )
      .default([])
      .describe(
        'The first encrypts, all decrypt. To change keys put a new one first, then run `ragstone encryption rotate`.',
      ),
  })
  .prefault({})
  .describe('Encryption of metadata fields (AES-256-GCM).');

/** `rag.security`: what is taken out of documents, and who may read them. */
export const securitySchema = z
  .strictObject({ redaction, access, encryption })
  .prefault({})
  .describe('What is taken out of documents, and who may read them.');
