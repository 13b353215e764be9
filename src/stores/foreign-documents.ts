/** A piece of a document as another program stored it. */
export interface ForeignPiece {
  readonly text: string;
  /** JSON, as it was found. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A document that another program keeps in a database, whole. */
export interface ForeignDocument {
  /** Its id there. */
  readonly id: string;
  /** The project that it is of, where that program knows projects. */
  readonly project?: string | undefined;
  /** In the order of the document. Their texts may overlap. */
  readonly pieces: readonly ForeignPiece[];
  /** How many pieces there should be and are not. */
  readonly missing: number;
}

/** The documents of another program. */
export interface ForeignDocuments {
  /** What is read, for people: `collection "asdlc_documents" of Chroma at http://localhost:8000`. */
  readonly place: string;
  /** How many records there are. */
  readonly records: number;
  /** Every document once, some at a time, while nothing is written there. */
  documents(signal?: AbortSignal): AsyncIterable<readonly ForeignDocument[]>;
  close(): Promise<void>;
}
