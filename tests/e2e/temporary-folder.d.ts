type Files = Readonly<Record<string, string | Uint8Array>>;
/** A folder that goes with the test. */
export declare function temporaryFolder(files?: Files): string;
/** A folder that several tests read; it goes with the file or group of tests that asks for it outside a test. */
export declare function sharedFolder(files?: Files): string;
/** Writes files below a folder, with the folders they need. */
export declare function writeFiles(folder: string, files: Files): void;
export {};
