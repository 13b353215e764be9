import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metadata } from 'ragstone';
import { parse } from 'yaml';
import { PLACES } from './settings.js';

/** A document of the knowledge base. Its metadata are those of the document's `ingest_text`, and what else its front matter says. */
export interface KnowledgeDocument {
  readonly document_id: string;
  readonly title: string;
  readonly text: string;
  readonly metadata: Metadata & {
    /** Where the text comes from: `resume`, `profile`, `project`. */
    readonly source: string;
    /** When it was written, ISO-8601. */
    readonly timestamp: string;
    /** Of documents that there are several of: a higher one is newer. */
    readonly version?: number;
  };
}

interface FrontMatter extends Readonly<Record<string, string | number | boolean | readonly string[]>> {
  readonly id: string;
  readonly title: string;
  readonly source: string;
  readonly date: string;
}

const FRONT_MATTER = /^---\n(.*?)\n---\n(.*)$/s;

/** The forty documents, by id. Throws where one has no front matter. */
export function readKnowledge(folder: string = PLACES.documents): KnowledgeDocument[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.md'));
  return files.sort().map((file) => knowledgeDocument(file, readFileSync(join(folder, file), 'utf8')));
}

function knowledgeDocument(file: string, content: string): KnowledgeDocument {
  const [, head, text = ''] = FRONT_MATTER.exec(content) ?? [];
  if (head === undefined) throw new Error(`${file} does not begin with front matter.`);
  const { id, title, source, date, ...others } = parse(head) as FrontMatter;
  return {
    document_id: id,
    title,
    text: withoutLabel(text),
    metadata: { ...others, source, timestamp: date },
  };
}

/** The line below the title that calls a document fictional is for readers of the file; `fictional` of the metadata says it here. */
const withoutLabel = (text: string): string => text.trim().replace(/^(# .+\n\n).*\bfictional\b.*\n\n/i, '$1');
