import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SYSTEM_RUNTIME } from 'ragstone';
import { readKnowledge } from '../src/knowledge.js';
import { RagService, type SearchLogLine } from '../src/rag-service.js';
import { type EnginePlace, openEngine } from '../src/settings.js';

/** A folder that is removed when the process ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'career-chatbot-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A service over an index of its own, on the day that the questions suppose. */
export async function openService(place: EnginePlace = {}) {
  const lines: SearchLogLine[] = [];
  const runtime = { ...SYSTEM_RUNTIME, now: () => Date.parse('2026-02-10') };
  const engine = await openEngine({ dataDir: temporaryFolder(), runtime, ...place });
  return { engine, lines, service: new RagService(engine, (line) => lines.push(line)) };
}

/** The same with the forty documents. */
export async function openKnowledge(place: EnginePlace = {}) {
  const opened = await openService(place);
  await opened.service.ingestTexts(readKnowledge());
  return opened;
}
