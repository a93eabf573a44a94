// A TypeScript client of an OpenAPI document, as an outside generator makes it, with a program that uses it.
import { execFile } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { generateApi } from 'swagger-typescript-api';

const root = join(import.meta.dirname, '../..');
const CLIENT = 'api.ts';

/** As strict as programs of others are, which bundle what they import. */
const options = {
  target: 'es2024',
  lib: ['es2024', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  strict: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  types: [],
};

/**
 * Generates the client beside a program, checks the types of both, and bundles them.
 *
 * @param folder an empty one
 * @param program path of a module that imports `./api.ts`; those beside it come along
 * @returns path of a module with the exports of the program
 * @throws Error with what the compiler says of the program or of the client
 */
export async function clientProgram(document: unknown, folder: string, program: string): Promise<string> {
  const input = join(folder, 'openapi.json');
  writeFileSync(input, JSON.stringify(document));
  await generateApi({ input, output: folder, fileName: CLIENT, httpClientType: 'fetch', silent: true });
  const client = join(folder, CLIENT);
  // Its author leaves it unchecked; a document that makes no sense would not show.
  writeFileSync(client, readFileSync(client, 'utf8').replace('// @ts-nocheck', ''));
  cpSync(dirname(program), folder, { recursive: true });
  const main = join(folder, basename(program));
  const config = join(folder, 'tsconfig.json');
  writeFileSync(config, JSON.stringify({ compilerOptions: options, files: [main] }));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [compiler, '-p', config]).catch(
    (failed: { stdout: string }) => {
      throw new Error(failed.stdout.slice(0, 4000));
    },
  );
  const outfile = join(folder, 'program.mjs');
  await build({ entryPoints: [main], bundle: true, format: 'esm', platform: 'node', outfile });
  return outfile;
}
