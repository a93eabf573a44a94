// `appctl-client/node`: all of the client, and what needs the files of Node, Electron's main process, Deno or Bun.
export { fileSink } from './file-sink.ts';
export { fileStorage } from './file-storage.ts';
export * from './index.ts';
