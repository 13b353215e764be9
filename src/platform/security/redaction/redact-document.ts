import type { Block, CodeUnit, ParsedDocument, RawDocument, TextRange } from '../../../core/document.js';
import type { Metadata, MetadataValue } from '../../../core/metadata.js';
import type { RedactionType } from './detection.js';
import { type RedactedText, type RedactionCounts, type RedactionRules, redactText } from './redact-text.js';

/** A document as its source gave it and as its parser read it. */
export interface UnderstoodDocument {
  readonly raw: RawDocument;
  readonly parsed: ParsedDocument;
}

/** What one document holds, gathered while its parts are redacted. */
class DocumentRedaction {
  readonly counts: RedactionCounts = {};

  constructor(readonly rules: RedactionRules) {}

  /** Redacts the stored text, whose findings are what is counted: other parts repeat it. */
  body(text: string): RedactedText {
    const redacted = redactText(text, this.rules);
    this.#count(redacted.found);
    return redacted;
  }

  /** A part that repeats the text: heading, title, symbol. */
  readonly repeated = (text: string): string => redactText(text, this.rules).text;

  /** A fact beside the text; its name may be what tells that it is a secret, as in `password: ...`. */
  fact(value: MetadataValue, name: string): MetadataValue {
    if (typeof value === 'string') return this.#named(value, name) ?? value;
    if (typeof value === 'number') return this.#named(String(value), name) ?? value;
    if (Array.isArray(value)) return value.map((item: MetadataValue) => this.fact(item, name));
    if (typeof value === 'object' && value !== null) return this.facts(value as Metadata);
    return value;
  }

  /** Names too; those that become equal are numbered, so that no fact is lost. */
  facts(metadata: Metadata): Metadata {
    const uses = new Map<string, number>();
    return Object.fromEntries(
      Object.entries(metadata).map(([name, value]) => {
        const shown = this.#name(name);
        const use = (uses.get(shown) ?? 0) + 1;
        uses.set(shown, use);
        return [use === 1 ? shown : `${shown} ${use}`, this.fact(value, name)];
      }),
    );
  }

  #name(name: string): string {
    const redacted = redactText(name, this.rules);
    this.#count(redacted.found);
    return redacted.text;
  }

  /** Undefined where nothing was found. */
  #named(value: string, name: string): string | undefined {
    const alone = redactText(value, this.rules);
    if (alone.found.length > 0) {
      this.#count(alone.found);
      return alone.text;
    }
    const prefix = `${name}: `;
    const named = redactText(prefix + value, this.rules);
    // What is found in the name itself is no part of the value.
    if (named.found.length === 0 || !named.text.startsWith(prefix)) return undefined;
    this.#count(named.found);
    return named.text.slice(prefix.length);
  }

  #count(found: readonly RedactionType[]): void {
    for (const type of found) this.counts[type] = (this.counts[type] ?? 0) + 1;
  }
}

/** Redacts every part of a document that is stored, embedded or shown. Its id stays: it is what the next run knows it by. */
export function redactDocument(
  { raw, parsed }: UnderstoodDocument,
  rules: RedactionRules,
): UnderstoodDocument & { readonly counts: RedactionCounts } {
  const redaction = new DocumentRedaction(rules);
  const { text, at } = redaction.body(parsed.text);
  const { repeated } = redaction;
  const metadata = redaction.facts(parsed.metadata);
  const { code, pages } = parsed;
  return {
    raw: {
      ...raw,
      ...optional('title', raw.title, repeated),
      ...optional('url', raw.url, repeated),
      ...(raw.headingPath === undefined ? {} : { headingPath: raw.headingPath.map(repeated) }),
      ...(raw.surroundings === undefined ? {} : { surroundings: raw.surroundings.map(repeated) }),
      metadata: redaction.facts(raw.metadata),
    },
    parsed: {
      ...parsed,
      text,
      blocks: parsed.blocks.flatMap((block) => moveBlock(block, at, repeated)),
      ...optional('title', parsed.title, repeated),
      metadata,
      ...(code === undefined
        ? {}
        : { code: { ...code, units: code.units.flatMap((unit) => moveUnit(unit, at, repeated)) } }),
      ...(pages === undefined ? {} : { pages: pages.map((page) => moveRange(page, at)) }),
      warnings: parsed.warnings.map(repeated),
    },
    counts: redaction.counts,
  };
}

type Move = (offset: number) => number;
type Rewrite = (text: string) => string;

const optional = <Name extends string>(
  name: Name,
  value: string | undefined,
  rewrite: Rewrite,
): Partial<Record<Name, string>> => {
  const part: Partial<Record<Name, string>> = {};
  if (value !== undefined) part[name] = rewrite(value);
  return part;
};

const moveRange = ({ start, end }: TextRange, at: Move): TextRange => ({ start: at(start), end: at(end) });

/** Nothing for a block that lay whole inside a value that began before it. */
function moveBlock(block: Block, at: Move, rewrite: Rewrite): Block[] {
  const range = moveRange(block, at);
  if (range.end <= range.start) return [];
  const { bodyStart, breaks } = block;
  const inside = (offset: number): boolean => offset > range.start && offset < range.end;
  return [
    {
      ...block,
      ...range,
      ...optional('label', block.label, rewrite),
      ...optional('context', block.context, rewrite),
      ...(bodyStart === undefined ? {} : { bodyStart: Math.min(at(bodyStart), range.end) }),
      ...(breaks === undefined ? {} : { breaks: [...new Set(breaks.map(at))].filter(inside) }),
    },
  ];
}

function moveUnit(unit: CodeUnit, at: Move, rewrite: Rewrite): CodeUnit[] {
  const range = moveRange(unit, at);
  if (range.end <= range.start) return [];
  return [
    {
      ...unit,
      ...range,
      ...optional('symbol', unit.symbol, rewrite),
      ...optional('name', unit.name, rewrite),
      ...optional('signature', unit.signature, rewrite),
      ...(unit.namedAt === undefined ? {} : { namedAt: at(unit.namedAt) }),
      children: unit.children.flatMap((child) => moveUnit(child, at, rewrite)),
    },
  ];
}
