/** What the service takes and gives, as far as this example reads it. All of it is in `/openapi.json`. */

/** The document's search options, but for the tenant. */
export interface SearchOptions {
  /** @default 10 */
  readonly topK?: number;
  /** @default 0.5 */
  readonly minScore?: number;
  readonly documentTypes?: readonly string[] | null;
  readonly tags?: readonly string[] | null;
}

/** The fields of the document's index schema that a caller states. */
export interface KnowledgeDocument {
  readonly id?: string;
  readonly documentId?: string;
  readonly documentName?: string;
  readonly documentType?: string;
  readonly chunkIndex?: number;
  readonly chunkCount?: number;
  readonly content: string;
  readonly tags?: readonly string[];
  readonly metadata?: string;
  readonly createdAt?: string;
  readonly updatedAt?: string;
}

/** What became of each file of an upload. */
export interface UploadResponse {
  readonly results: readonly {
    readonly id: string;
    readonly fileName: string;
    readonly success: boolean;
    readonly error?: { readonly reason: string; readonly message: string };
  }[];
  readonly indexed: number;
}

export type RagDeploymentModel = 'Shared' | 'Dedicated' | 'CustomerOwned';

export interface RagSearchResult extends KnowledgeDocument {
  readonly id: string;
  readonly documentId: string;
  readonly documentType: string;
  readonly tags: readonly string[];
  readonly deploymentId: string;
  readonly deploymentModel: RagDeploymentModel;
  readonly score: number;
}

export interface RagSearchResponse {
  readonly results: readonly RagSearchResult[];
  readonly notices: readonly string[];
}

export interface BatchResponse {
  readonly results: readonly {
    readonly id: string;
    readonly success: boolean;
    readonly error?: { readonly reason: string; readonly message: string };
  }[];
  readonly indexed: number;
  readonly failed: number;
}

export interface Embedding {
  readonly embedding: readonly number[];
  readonly model: string;
  readonly dimensions: number;
}

export interface RagAnswer {
  readonly outcome: 'answer' | 'perhaps' | 'not-found';
  readonly answer: string;
  readonly citations: readonly { readonly documentId: string; readonly quote: string }[];
}

export interface Explanation {
  readonly lanes: readonly { readonly lane: string; readonly status: string }[];
  readonly stages: Readonly<Record<string, number>>;
  readonly results: readonly {
    readonly explanation?: {
      readonly semanticScore?: number;
      readonly keywordScore?: number;
      readonly rerankScore?: number;
    };
  }[];
}

/** The document's `KnowledgeDeploymentConfig`. */
export interface Deployment {
  readonly tenantId: string;
  readonly model: RagDeploymentModel;
  readonly isActive?: boolean;
  readonly searchEndpoint?: string;
  readonly indexName?: string;
  readonly username?: string;
  /** Where the secret is, never the secret. */
  readonly apiKeySecretName?: string;
}

/** The document's `DeploymentValidationResult`. */
export interface DeploymentValidation {
  readonly isValid: boolean;
  readonly errors: readonly string[];
}
