// `npm run load -- sample` or `npm run load -- PATH_OR_ADDRESS`: bugs for the database that DATABASE_URL names.
import { openBugBot } from './bug-bot.js';
import { loadBugs } from './load-bugs.js';
import { readSettings } from './settings.js';

async function load([from]: readonly string[]): Promise<void> {
  const settings = readSettings(process.env);
  if (from === undefined || settings.databaseUrl === undefined)
    throw new Error(
      'Say what to load, "sample" or a file of Hadoop bugs, and name a database by DATABASE_URL.',
    );
  const bot = await openBugBot(settings);
  try {
    console.log(await loadBugs(bot.database, from === 'sample' ? undefined : from));
  } finally {
    await bot.close();
  }
}

load(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
