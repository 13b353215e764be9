import type { ErrorReason } from '../../core/errors.js';

/** What a worker needs to know of its model. */
export interface ClassifierOptions {
  /** Folder of an ONNX model as transformers.js reads it, or an id on the Hugging Face hub. */
  readonly model: string;
  /** Take `model` for a hub id and fetch it where it is not in `cacheDir`. @default false */
  readonly allowRemote?: boolean;
  /** Where fetched models are kept. */
  readonly cacheDir?: string;
  /** Pairs in one run of the network. @default 10 */
  readonly batchSize?: number;
  /** Sent as a bearer token, for private models. */
  readonly token?: string;
}

export type WorkerRequest =
  | {
      readonly kind: 'score';
      readonly id: number;
      readonly query: string;
      readonly passages: readonly string[];
    }
  /** Nobody waits for the answer any more. */
  | { readonly kind: 'cancel'; readonly id: number };

export type WorkerAnswer =
  | { readonly id: number; readonly scores: readonly number[] }
  | { readonly id: number; readonly reason: ErrorReason; readonly message: string };
