// Import rules of ARCHITECTURE.md, machine-checked.
const stages =
  'sources|parsing|chunking|embedding|stores|ledger/history|ledger/queue|ledger|relations/graph|relations/conflicts|retrieval|reranking|context|answering|evaluation|platform/security|platform/degradation';
const interfaceFiles = [
  'sources/source',
  'parsing/parser',
  'chunking/chunker',
  'embedding/(embedder|embed-all|pair-scorer|text-reader)',
  'stores/vector-store',
  'stores/collection-members',
  'ledger/(ledger|history|pending-work|lock|source-state|forgotten-names)',
  'ledger/history/[^/]+',
  'relations/graph/(entity-graph|facts|graph|graph-rows|linked-from|names|walk|rank)',
  'relations/conflicts/(conflict-types|statement-rows|source-conflicts|find-conflicts|packed-statements)',
  // How words and amounts of two texts are compared: pure text functions, shared by conflicts and the check of answers.
  'relations/conflicts/(opposites|quantities|word-classes|words)',
  'reranking/reranker',
  'retrieval/retriever',
  'answering/agentic/agent',
  // What an answer is and how it is checked, for its measures.
  'answering/(answer|check-support|support-features)',
  // What an answer is made of; answering and its measures build on all of it.
  'context/[^/]+',
  // How parts that may be out are asked, and what responses say of it.
  'platform/degradation/(breaker|breakers|level|degradation-report)',
  // What of a chunk's metadata is sealed.
  'platform/security/sealed-metadata',
  // Guards that every stage which touches paths must share.
  'platform/security/path-containment',
  'platform/security/url-guard',
  // How files of an index are made.
  'platform/security/private-files',
  // How files are opened whose folder others may have filled.
  'platform/security/regular-file',
].join('|');

// What assembles the stages; no stage knows it.
const rooms = 'engine|operations|resources|indexing|searching|features|experiments|fleet';

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'core-imports-nothing-of-ours',
      severity: 'error',
      from: { path: '^src/core/' },
      to: { path: '^src/', pathNot: '^src/core/' },
    },
    {
      name: 'a-stage-imports-only-core-and-interface-files',
      severity: 'error',
      from: { path: `^src/(${stages})/`, pathNot: '(\\.test|/test-[^/]+)\\.ts$' },
      to: { path: `^src/(${stages})/`, pathNot: [`^src/(${interfaceFiles})\\.ts$`, '^src/$1/'] },
    },
    {
      name: 'providers-and-threads-import-only-core',
      severity: 'error',
      from: { path: '^src/platform/(providers|threads)/', pathNot: '\\.test\\.ts$' },
      to: { path: '^src/', pathNot: '^src/(core|platform/$1)/' },
    },
    {
      name: 'platform-imports-only-core',
      severity: 'error',
      from: { path: '^src/platform/', pathNot: '\\.test\\.ts$' },
      to: { path: '^src/', pathNot: '^src/(core|platform)/' },
    },
    {
      name: 'nothing-below-imports-the-assembly-or-a-face',
      severity: 'error',
      from: { path: `^src/(core|${stages})/`, pathNot: '\\.test\\.ts$' },
      to: { path: `^src/(${rooms}|compat|config|faces|testing)/` },
    },
    {
      name: 'a-backend-does-not-import-its-neighbour',
      severity: 'error',
      from: {
        path: '^src/(sources|parsing|chunking|embedding|stores|reranking)/([^/]+)/',
        pathNot: '(\\.test|/test-[^/]+)\\.ts$',
      },
      to: {
        path: '^src/(sources|parsing|chunking|embedding|stores|reranking)/([^/]+)/',
        pathNot: ['^src/$1/$2/', '^src/embedding/encoder/'],
      },
    },
    {
      // And the table of operations, of which they are made.
      name: 'faces-use-the-public-index',
      severity: 'error',
      from: { path: '^src/(compat/backlog|faces/(cli|service|mcp))/', pathNot: '\\.test\\.ts$' },
      to: {
        path: `^src/(core|${rooms}|${stages})/`,
        pathNot:
          '^src/(core/(errors|format-count|without-undefined)|features/maintenance/check-config|platform/security/regular-file|core/analysis/(lexical-analyzer|passage-units)|platform/degradation/level-words|context/outside-code|resources/assembly/open-sources|stores/chroma/chroma-store|fleet/deployments/open-for-reading|operations/.+)\\.ts$',
      },
    },
    {
      // Every command starts without the engine; the one that runs imports it.
      name: 'commands-import-the-library-when-they-run',
      severity: 'error',
      from: { path: '^src/faces/cli/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^src/(faces/(service|mcp)/)?index\\.ts$',
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      // It runs in browsers: types of the service are all that it takes, and one version number.
      name: 'the-client-brings-nothing-of-the-engine',
      severity: 'error',
      from: { path: '^src/faces/client/', pathNot: '\\.test\\.ts$' },
      to: {
        pathNot: ['^src/faces/client/', '^src/faces/service/api-version\\.ts$'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'the-knowledge-store-assembles-and-names-no-backend',
      severity: 'error',
      from: { path: '^src/compat/knowledge-store/', pathNot: '(\\.test|/test-[^/]+)\\.ts$' },
      to: {
        path: '^src/((stores|sources|ledger)/[^/]+/|(faces|testing)/)',
        dynamic: false,
        // Types of the options of a store, which are gone when the program runs.
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'nothing-imports-the-knowledge-store',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/compat/knowledge-store/', '\\.test\\.ts$'] },
      to: { path: '^src/compat/knowledge-store/' },
    },
    {
      name: 'the-sdk-of-mcp-is-imported-by-one-file',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/faces/mcp/(sdk|test-client)\\.ts$', '\\.test\\.ts$'] },
      to: { path: '^node_modules/@modelcontextprotocol/' },
    },
    {
      // What is bundled into `ragstone/service` is what this file imports.
      name: 'the-plugins-of-fastify-are-imported-by-one-file',
      severity: 'error',
      from: { path: '^src/faces/service/', pathNot: ['^src/faces/service/packages\\.ts$', '\\.test\\.ts$'] },
      to: { path: '^node_modules/(@fastify|fastify-type-provider-zod)/', dependencyTypesNot: ['type-only'] },
    },
    {
      // A route sees the index through its caller's scope: it gets a view, and the plugin alone makes views.
      name: 'routes-know-no-engine-and-no-caller',
      severity: 'error',
      from: { path: '^src/faces/service/routes/', pathNot: '\\.test\\.ts$' },
      to: { path: '^src/(config|faces/service/(authentication|ragstone-plugin|start-service))' },
    },
    {
      name: 'examples-use-the-package-by-its-public-names',
      severity: 'error',
      from: { path: '^examples/([^/]+)/' },
      to: {
        path: '^(src|tools|tests|bench|examples)/',
        pathNot: [
          '^examples/$1/',
          '^src/((compat/(backlog|knowledge-store)|faces/(client|mcp|service)|testing)/)?index\\.ts$',
        ],
      },
    },
    {
      name: 'the-page-is-made-of-the-client',
      severity: 'error',
      from: { path: '^console/', pathNot: '\\.test\\.ts$' },
      to: {
        pathNot: [
          '^console/',
          '^src/faces/client/index\\.ts$',
          '^(?:dist|src)/faces/client/',
          '^node_modules/(?:preact|markdown-it|oauth4webapi)/',
          '^ragstone/client$',
        ],
      },
    },
    {
      name: 'nothing-imports-an-example',
      severity: 'error',
      from: { pathNot: '^examples/' },
      to: { path: '^examples/' },
    },
    {
      name: 'drivers-are-loaded-lazily',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^node_modules/(@lancedb/lancedb|apache-arrow|@huggingface/transformers|onnxruntime-node|usearch|ioredis|bullmq|@ai-sdk|ai|voyage-ai-provider|gpt-tokenizer)/',
        dependencyTypesNot: ['type-only'],
        dynamic: false,
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { conditionNames: ['import', 'require', 'node', 'default', 'types'] },
  },
};
