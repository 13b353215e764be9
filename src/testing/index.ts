export { createHashEmbedder, type HashEmbedderOptions } from './hash-embedder.js';
export type {
  ServerRoute,
  StoreContractOptions,
  StoreDifferences,
  StoreFixture,
  TestRunner,
} from './vector-store/contract.js';
export { testVectorStore } from './vector-store/suite.js';
