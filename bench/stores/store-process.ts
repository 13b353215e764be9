import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { serialize } from 'node:v8';
import { startServer } from '../../tools/test-stores/start-server.js';
import { STORES } from '../../tools/test-stores/stores.js';
import { REPOSITORY } from '../shared/places.js';
import { runProcess } from '../shared/run-process.js';
import type { BenchedStore } from './benched-stores.js';

/** A store that could not be measured. */
export interface Failure {
  readonly store: string;
  readonly size: number;
  readonly error: string;
}

const SCRIPTS = resolve(REPOSITORY, process.env.RAGSTONE_SERVERS ?? '../shared/servers');

/** The server of a store that is measured: where it keeps its data, and its first process. */
export interface ServerPlace {
  readonly folder: string;
  readonly pid: number;
}

/** A program of this folder that is called as `PROGRAM STORE PLACE INPUT` and prints one line of JSON. */
export interface StoreProgram {
  readonly file: string;
  /** What the program reads from its input file; `server` is added where it is known. */
  readonly input: object;
  /** For the input and the data of embedded stores. */
  readonly folder: string;
  readonly say: (text: string) => void;
}

/** Runs a program on one store that is alone: a folder of its own, or a server that is started from nothing for it. */
export async function runOnStore(store: BenchedStore, program: StoreProgram): Promise<unknown> {
  if (store.place !== 'server') {
    const place = join(program.folder, store.name);
    await mkdir(place, { recursive: true });
    return runAt({ store, place, wrapper: [] }, program);
  }
  const server = STORES.find(({ name }) => name === store.name)?.server;
  if (server === undefined) throw new RangeError(`There is no server for ${store.name}.`);
  if (server.wrapsCommand !== undefined) {
    const wrapper = ['bash', join(SCRIPTS, server.folder, 'run.sh')];
    return runAt({ store, place: server.urlOf(server.wrapsCommand.port), wrapper }, program);
  }
  const running = await startServer(server, { scripts: SCRIPTS, say: program.say });
  try {
    const input = { ...program.input, ...(running.process === undefined ? {} : { server: running.process }) };
    return await runAt({ store, place: running.url, wrapper: [] }, { ...program, input });
  } finally {
    await running.stop();
  }
}

async function runAt(
  at: { readonly store: BenchedStore; readonly place: string; readonly wrapper: readonly string[] },
  { file, input, folder }: StoreProgram,
): Promise<unknown> {
  const inputFile = join(folder, `${at.store.name}.input`);
  await writeFile(inputFile, serialize(input));
  // The flags that run this program: its TypeScript, and the built library in the place of the sources.
  const node = [process.execPath, '--expose-gc', ...process.execArgv, file];
  const [command = '', ...parameters] = [...at.wrapper, ...node, at.store.name, at.place, inputFile];
  const { stdout } = await runProcess(command, parameters, { cwd: REPOSITORY });
  // A server's script may say something too.
  const json = /^\{.*\}$/m.exec(stdout)?.[0];
  if (json === undefined) throw new Error(`${file} printed no result for ${at.store.name}.`);
  return JSON.parse(json) as unknown;
}
