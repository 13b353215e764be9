import { installHooks } from './hooks.js';
import { loadSettings, repositoryOf } from './settings.js';

loadSettings();
const [repository = repositoryOf(process.env)] = process.argv.slice(2);
console.log(`${(await installHooks(repository)).join(', ')}: the knowledge store follows ${repository}.`);
