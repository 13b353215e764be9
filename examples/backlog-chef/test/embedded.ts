// Imported first: these tests need no server. Those of the document's own store are in chroma.test.ts.
process.env.RAG_PROVIDER = 'libsql';
