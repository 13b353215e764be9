// One migration, which may be killed; says how far it is, line by line.
import { type MigrateRequest, migrateIndex } from '../../src/index.js';

const request = JSON.parse(process.argv[2] ?? '{}') as MigrateRequest;
const result = await migrateIndex({
  ...request,
  onProgress: (progress) => console.log(JSON.stringify(progress)),
});
console.log(JSON.stringify({ result }));
