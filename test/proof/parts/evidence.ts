// What a run leaves behind, gathered in one folder that `grep` searches for every secret.
import { execFile } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import Database from 'better-sqlite3';
import type { Answer } from './client.ts';
import { databaseFile } from './databases.ts';
import { commandLineOf } from './processes.ts';
import type { ProofBench } from './proof.ts';
import type { Secrets } from './secrets.ts';

/** A secret in a place where none may be. */
export interface Hit {
  /** File of the evidence. */
  place: string;
  kind: string;
}

/** The master key's own file is the one place that may hold it. */
const MASTER_KEY_FILE = 'master.key';

/** Gathers and searches. */
export class Evidence {
  readonly folder: string;
  readonly #seenFile: string;

  /** @param folder absolute; made here */
  constructor({ folder }: ProofBench) {
    this.folder = join(folder, 'evidence');
    this.#seenFile = join(folder, 'seen.txt');
    mkdirSync(this.folder);
  }

  /** Adds text to a file of the evidence. */
  note(name: string, text: string): void {
    appendFileSync(join(this.folder, name), `${text}\n`);
  }

  /** Keeps what a caller was refused with; headers count for every answer. */
  noteAnswer({ status, headers, body }: Answer): void {
    this.note('answer-headers.txt', JSON.stringify(headers));
    if (status >= 400) this.note('error-bodies.txt', body);
  }

  /** Keeps the arguments of a server and of the processes that it started, as they are now. */
  noteProcesses(server: number): void {
    for (const pid of [server, ...childrenOf(server)]) this.note('process-arguments.txt', commandLineOf(pid));
  }

  /**
   * Copies a data directory as it lies on the disk, with the log of a database that is in use, and writes down every
   * row of it.
   *
   * @param name of the copy
   */
  async keepData({ database }: ProofBench, dataDir: string, name: string): Promise<void> {
    const copy = join(this.folder, name);
    const filter = (from: string) => !from.endsWith('.sock');
    cpSync(dataDir, copy, { recursive: true, filter });
    const rows = database.kind === 'postgres' ? await database.dump() : dumpCopyOf(copy);
    writeFileSync(join(this.folder, `${name}-rows.txt`), rows);
  }

  /** Looks for every secret in all of it. */
  async search(secrets: Secrets): Promise<Hit[]> {
    writeFileSync(this.#seenFile, secrets.texts.join('\n'), { mode: 0o600 });
    const flags = ['-r', '-a', '-F', '-o', '-Z', `--exclude=${MASTER_KEY_FILE}`, '-f', this.#seenFile];
    const found = await grep([...flags, this.folder]);
    return found.map(([file, text]) => ({ place: relative(this.folder, file), kind: secrets.kindOf(text) }));
  }

  /** Bytes that were searched. */
  get bytes(): number {
    const files = readdirSync(this.folder, { recursive: true, withFileTypes: true });
    return files
      .filter((entry) => entry.isFile())
      .reduce((sum, entry) => sum + readFileSync(join(entry.parentPath, entry.name)).length, 0);
  }
}

function grep(args: string[]): Promise<[file: string, text: string][]> {
  return new Promise((resolve, reject) => {
    execFile('grep', args, { maxBuffer: 100_000_000 }, (error, stdout, stderr) => {
      // 1 says that nothing was found; anything else that it was not looked for.
      if (error && error.code !== 1) return reject(new Error(`grep failed: ${stderr}`));
      const lines = stdout.split('\n').filter((line) => line !== '');
      resolve(lines.map((line) => line.split('\0') as [string, string]));
    });
  });
}

/** Started by this process, directly or by another one. */
function childrenOf(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  const children = existsSync(file) ? readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number) : [];
  return children.flatMap((child) => [child, ...childrenOf(child)]);
}

/** Opening a database moves its log into it, so another copy is opened. */
function dumpCopyOf(dataDir: string): string {
  const opened = `${dataDir}-opened`;
  cpSync(dataDir, opened, { recursive: true });
  try {
    return dumpFile(databaseFile(opened));
  } finally {
    rmSync(opened, { recursive: true });
  }
}

/** Every row of every table: a value that lies on two pages of the file is whole here. */
function dumpFile(file: string): string {
  const database = new Database(file);
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all();
    return (tables as string[])
      .flatMap((name) => database.prepare(`SELECT * FROM "${name}"`).all())
      .map((row) => JSON.stringify(row))
      .join('\n');
  } finally {
    database.close();
  }
}
