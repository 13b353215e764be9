/** The packages of log files. They are bundled into the one file that this module becomes, for few who install Ragstone keep a log file. */
export { type Logger, pino } from 'pino';
export { createStream, type RotatingFileStream } from 'rotating-file-stream';
