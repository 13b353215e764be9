import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import type { Tested } from './select-stores.js';

const testedSchema = z.record(z.string(), z.string());

export const readTested = (path: string): Tested =>
  existsSync(path) ? testedSchema.parse(JSON.parse(readFileSync(path, 'utf8'))) : {};

export const writeTested = (path: string, tested: Tested): void =>
  writeFileSync(path, `${JSON.stringify(tested, null, 2)}\n`);
