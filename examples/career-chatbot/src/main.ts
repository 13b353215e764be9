/** `npm start`: takes the documents in, and answers questions about them over HTTP. */
import { Chatbot } from './chatbot.js';
import { readKnowledge } from './knowledge.js';
import { type Log, RagService } from './rag-service.js';
import { createServer } from './server.js';
import { openEngine } from './settings.js';

async function start(): Promise<void> {
  const engine = await openEngine();
  const log: Log = (line) => console.error(JSON.stringify(line));
  const service = new RagService(engine, log);
  const written = await service.ingestTexts(readKnowledge());
  const { documents, embedder } = await engine.status();
  console.log(`${documents} documents, ${written} of them new or changed. Model: ${embedder}.`);
  const app = createServer({ chatbot: new Chatbot(engine, log), service });
  const address = await app.listen({ port: Number(process.env.PORT ?? 7250), host: '127.0.0.1' });
  console.log(`The chatbot listens at ${address}`);
  let isStopping = false;
  const stop = async (): Promise<void> => {
    await app.close();
    await engine.close();
  };
  // A terminal sends Ctrl-C to this program and to npm, which passes it on.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (isStopping) return;
      isStopping = true;
      stop().catch((error: unknown) => console.error(error));
    });
}

start().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
