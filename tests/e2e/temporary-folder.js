import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
/** A folder that goes with the test. */
export function temporaryFolder(files = {}) {
    const folder = newFolder(files);
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
}
/** A folder that several tests read; it goes with the file or group of tests that asks for it outside a test. */
export function sharedFolder(files = {}) {
    const folder = newFolder(files);
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
}
function newFolder(files) {
    const folder = mkdtempSync(join(tmpdir(), 'ragstone-e2e-'));
    writeFiles(folder, files);
    return folder;
}
/** Writes files below a folder, with the folders they need. */
export function writeFiles(folder, files) {
    for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), content);
    }
}
