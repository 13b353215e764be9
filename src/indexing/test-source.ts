import { type LoadConfigOptions, loadConfig } from '../config/load-config.js';
import type { RawDocument } from '../core/document.js';
import { type ErrorReason, RAGError, throwIfAborted, toRAGError } from '../core/errors.js';
import { runtime } from '../core/runtime.js';
import { withoutUndefined } from '../core/without-undefined.js';
import { createSourceNamed } from '../resources/assembly/open-sources.js';
import { isUnreadable, type Source, type SourceItem } from '../sources/source.js';

/** Something that keeps a source, or one item of it, from being read. */
export interface SourceProblem {
  /** Absent where it is the source itself. */
  readonly item?: string;
  readonly reason: ErrorReason;
  /** What is wrong and what to do. */
  readonly message: string;
}

/** A document as a test shows it. */
export interface SampleDocument {
  readonly id: string;
  readonly title?: string;
  readonly url?: string;
  readonly updatedAt?: string;
  readonly mediaType: string;
  readonly metadata: RawDocument['metadata'];
  /** How it begins; absent where it is no text before it is parsed. */
  readonly start?: string;
}

/** What a source gives now; nothing of it is indexed. */
export interface SourceTest {
  readonly name: string;
  readonly type: string;
  /** It can be listed, and everything that was tried can be read. */
  readonly ok: boolean;
  /** Items that it lists: files, pages, rows. */
  readonly items: number;
  readonly documents: readonly SampleDocument[];
  readonly problems: readonly SourceProblem[];
  /** What is left out by rule. */
  readonly notices: readonly string[];
  readonly tookMs: number;
}

/** Which source is tried, and how. */
export interface TestSourceOptions
  extends Pick<LoadConfigOptions, 'config' | 'file' | 'dataDir' | 'cwd' | 'env' | 'secretResolvers'> {
  readonly signal?: AbortSignal;
}

const SAMPLES = 3;
/** Characters of a sample that are shown. */
const START_CHARACTERS = 200;
/** Problems with single items that are told one by one. */
const MOST_PROBLEMS = 20;

/**
 * Connects to a configured source, counts what it lists and reads three documents. What is missing (a permission, a package, a
 * secret) is part of the result.
 *
 * @throws RAGError `USAGE` for a name that is not configured, and what the configuration is refused for.
 */
export async function testSource(name: string, options: TestSourceOptions = {}): Promise<SourceTest> {
  const { signal, ...load } = options;
  const config = await loadConfig(load);
  const started = runtime().elapsed();
  const test = new SourceTester(signal);
  const settings = config.rag.sources.find((source) => source.name === name);
  if (settings === undefined) {
    const known = config.rag.sources.map((source) => source.name).join(', ') || 'none';
    throw new RAGError('USAGE', `There is no source "${name}" in the configuration. Sources: ${known}.`);
  }
  await test.run(async () => (await createSourceNamed(name, config)).source);
  return { name, type: settings.type, ...test.result(), tookMs: Math.round(runtime().elapsed() - started) };
}

class SourceTester {
  readonly #signal: AbortSignal | undefined;
  readonly #documents: SampleDocument[] = [];
  readonly #problems: SourceProblem[] = [];
  #notices: readonly string[] = [];
  #items = 0;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  async run(open: () => Promise<Source>): Promise<void> {
    try {
      const source = await open();
      const first = await this.#list(source);
      source.expectReads?.(first);
      for (const item of first) if (this.#documents.length < SAMPLES) await this.#read(source, item);
    } catch (error) {
      this.#complain(error);
    }
  }

  result(): Pick<SourceTest, 'ok' | 'items' | 'documents' | 'problems' | 'notices'> {
    return {
      ok: this.#problems.length === 0,
      items: this.#items,
      documents: this.#documents.slice(0, SAMPLES),
      problems: this.#problems,
      notices: this.#notices,
    };
  }

  /** Counts the items, and gives the first ones. */
  async #list(source: Source): Promise<SourceItem[]> {
    const first: SourceItem[] = [];
    for await (const item of source.list(withoutUndefined({ signal: this.#signal }))) {
      this.#items += 1;
      if (isUnreadable(item)) this.#complain(item.error, item.id);
      else if (first.length < SAMPLES) first.push(item);
    }
    this.#notices = source.listingNotices?.() ?? [];
    return first;
  }

  async #read(source: Source, item: SourceItem): Promise<void> {
    try {
      const { documents, failures, notices = [] } = await source.read(item, this.#signal);
      this.#documents.push(...documents.map(sampleOf));
      for (const { externalId, error } of failures) this.#complain(error, externalId);
      this.#notices = [...this.#notices, ...notices];
    } catch (error) {
      this.#complain(error, item.id);
    }
  }

  #complain(error: unknown, item?: string): void {
    throwIfAborted(this.#signal);
    if (this.#problems.length >= MOST_PROBLEMS) return;
    const { reason, message } = toRAGError(error, 'INTERNAL', 'It failed for an unknown reason.');
    this.#problems.push({ ...withoutUndefined({ item }), reason, message });
  }
}

function sampleOf(document: RawDocument): SampleDocument {
  const { externalId, title, url, updatedAt, mediaType, metadata, content } = document;
  const isText = typeof content === 'string' || /^text\/|json/.test(mediaType);
  const start = isText ? beginningOf(content) : undefined;
  return {
    id: externalId,
    ...withoutUndefined({ title, url, updatedAt }),
    mediaType,
    metadata,
    ...withoutUndefined({ start }),
  };
}

function beginningOf(content: RawDocument['content']): string {
  const text =
    typeof content === 'string'
      ? content.slice(0, START_CHARACTERS)
      : new TextDecoder().decode(content.subarray(0, START_CHARACTERS));
  return text.replaceAll(/\s+/g, ' ').trim();
}
