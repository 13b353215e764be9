/**
 * What every part that a program may bring must keep, as suites for any test runner of Vitest's shape (docs/own-parts.md).
 *
 * @module
 */

export { createHashEmbedder, type HashEmbedderOptions } from './hash-embedder.js';
export {
  type IsolationProbeOptions,
  type IsolationReport,
  type IsolationViolation,
  probeIsolation,
} from './isolation/isolation-probe.js';
export type { ProbeCaller, ProbeReply, ProbeRequest } from './isolation/probe-exchange.js';
export type { LedgerContractOptions, LedgerFixture, LedgerSettings } from './ledger/contract.js';
export { testLedger } from './ledger/suite.js';
export { type ChunkerContractOptions, testChunker } from './parts/chunker-suite.js';
export type { PartContractOptions } from './parts/contract.js';
export { type EmbedderContractOptions, testEmbedder } from './parts/embedder-suite.js';
export { type ParserContractOptions, testParser } from './parts/parser-suite.js';
export { type RerankerContractOptions, testReranker } from './parts/reranker-suite.js';
export { type SourceContractOptions, type SourceFixture, testSourceContract } from './parts/source-suite.js';
export type {
  ServerRoute,
  StoreContractOptions,
  StoreDifferences,
  StoreFixture,
  TestRunner,
} from './vector-store/contract.js';
export { testVectorStore } from './vector-store/suite.js';
