/** What the corpus is made of; every other file of this folder makes or writes these. */

/** The three customers, one for each deployment model. */
export const TENANTS = [
  { id: 'harborline', name: 'Harborline Freight', model: 'Shared' },
  { id: 'Meridian-Bio', name: 'Meridian Biosciences', model: 'Dedicated' },
  { id: 'alpenrhein.bank', name: 'Alpenrhein Bank', model: 'CustomerOwned' },
] as const;

export type TenantId = (typeof TENANTS)[number]['id'];

export interface Section {
  readonly heading: string;
  readonly text: string;
}

export interface CorpusDocument {
  readonly tenantId: TenantId;
  /** Unique within the tenant. */
  readonly documentId: string;
  readonly documentName: string;
  readonly documentType: 'contract' | 'policy';
  readonly tags: readonly string[];
  readonly sections: readonly Section[];
}

/** A question with the one document that answers it. */
export interface CorpusQuestion {
  readonly tenantId: TenantId;
  readonly question: string;
  /** Undefined where no document of the tenant answers it. */
  readonly documentId: string | undefined;
  /** Words of the document that are the answer. */
  readonly answer?: string | undefined;
}

export interface Corpus {
  readonly documents: readonly CorpusDocument[];
  readonly questions: readonly CorpusQuestion[];
}

/** The whole document as plain text, a heading on a line of its own. */
export const textOf = ({ documentName, sections }: CorpusDocument): string =>
  [documentName, ...sections.flatMap(({ heading, text }) => [heading, text])].join('\n\n');
