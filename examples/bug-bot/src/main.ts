import { type BugBot, openBugBot } from './bug-bot.js';
import { isUnreachable } from './database.js';
import { loadBugs } from './load-bugs.js';
import { createServer } from './server.js';
import { readSettings, type Settings } from './settings.js';

async function start(): Promise<void> {
  const settings = readSettings(process.env);
  const bot = await openBugBot(settings);
  try {
    await serve(bot, settings);
  } catch (error) {
    await bot.close();
    throw error;
  }
}

async function serve(bot: BugBot, settings: Settings): Promise<void> {
  console.log(`Database: ${bot.database.name}.`);
  // Bugs of a server are its own; `npm run load` adds others to it.
  if (settings.databaseUrl === undefined) console.log(await loadBugs(bot.database, settings.bugs));
  console.log(
    `Embeddings: ${settings.embeddingModel}. Answers: ${settings.anthropicKey === undefined ? 'quoted (no ANTHROPIC_API_KEY)' : 'Claude Haiku'}.`,
  );
  const app = createServer(bot);
  const address = await app.listen({ port: settings.port, host: '127.0.0.1' });
  console.log(`Bug Bot listens at ${address}`);
  let isStopping = false;
  const stop = async (): Promise<void> => {
    await app.close();
    await bot.close();
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
  const message = error instanceof Error ? error.message : String(error);
  console.error(
    isUnreachable(error)
      ? 'The database of DATABASE_URL cannot be reached. Start it, or correct the address; without DATABASE_URL one in memory is used.'
      : message,
  );
  process.exitCode = 1;
});
