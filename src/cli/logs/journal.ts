import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { MARK } from '#platform/service-unit/index.ts';
import { type LogLine, type LogSource, lineOf } from './lines.ts';

/** A unit of systemd that runs a server. */
export interface Unit {
  readonly name: string;
  readonly isOfUser: boolean;
}

/** Levels of syslog, by their number. */
const SEVERITIES = ['fatal', 'fatal', 'fatal', 'error', 'warn', 'info', 'info', 'debug'];

/** The unit that a process belongs to; null for none. */
export function unitOfProcess(pid: number): Unit | null {
  try {
    const path = readFileSync(`/proc/${pid}/cgroup`, 'utf8').trim().split(':').at(-1) ?? '';
    const name = path.split('/').findLast((part) => part.endsWith('.service'));
    // Whatever was started in a session of a desktop or over SSH belongs to the unit of that user's manager.
    return name === undefined || name.startsWith('user@')
      ? null
      : { name, isOfUser: path.startsWith('/user.slice/') };
  } catch {
    return null;
  }
}

/** The unit that `appctl service install` or the package wrote; null for none. */
export function installedUnit(): Unit | null {
  const folders = [
    { folder: '/etc/systemd/system', isOfUser: false },
    { folder: '/lib/systemd/system', isOfUser: false },
    { folder: join(homedir(), '.config/systemd/user'), isOfUser: true },
  ];
  for (const { folder, isOfUser } of folders) {
    if (existsSync(join(folder, 'appctl.service'))) return { name: 'appctl.service', isOfUser };
    const own = unitsIn(folder).find((name) => isOurs(join(folder, name)));
    if (own !== undefined) return { name: own, isOfUser };
  }
  return null;
}

function unitsIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.service'));
  } catch {
    return [];
  }
}

function isOurs(path: string): boolean {
  try {
    return readFileSync(path, 'utf8').includes(MARK);
  } catch {
    return false;
  }
}

/** The journal of a unit, as journalctl reads it. */
export function journalSource({ name, isOfUser }: Unit): LogSource {
  const words = [
    ...(isOfUser ? ['--user'] : []),
    '--unit',
    name,
    '--output',
    'json',
    // Without it a line of more than 4 KiB comes as null.
    '--all',
    '--no-pager',
    '--quiet',
  ];
  let cursor: string | null = null;
  return {
    name: `journalctl ${isOfUser ? '--user ' : ''}-u ${name}`,
    async *newest() {
      for await (const entry of entriesOf([...words, '--reverse'])) {
        cursor ??= entry.__CURSOR ?? null;
        yield lineOfEntry(entry);
      }
    },
    async *following() {
      const from = cursor === null ? ['--lines', '0'] : ['--after-cursor', cursor];
      for await (const entry of entriesOf([...words, '--follow', ...from])) yield lineOfEntry(entry);
    },
  };
}

interface Entry {
  readonly __CURSOR?: string;
  readonly __REALTIME_TIMESTAMP?: string;
  readonly PRIORITY?: string;
  /** Bytes where the text holds what is no UTF-8 or a control character. */
  readonly MESSAGE?: string | readonly number[] | null;
}

function lineOfEntry({ MESSAGE, PRIORITY, __REALTIME_TIMESTAMP: micros }: Entry): LogLine {
  const text = typeof MESSAGE === 'string' ? MESSAGE : Buffer.from(MESSAGE ?? []).toString('utf8');
  const level = SEVERITIES[Number(PRIORITY)] ?? 'info';
  return lineOf(text, {
    level,
    ...(micros !== undefined && { time: new Date(Number(micros) / 1000).toISOString() }),
  });
}

/** @throws Error in the words of journalctl, when it fails */
async function* entriesOf(words: readonly string[]): AsyncGenerator<Entry> {
  const child = spawn('journalctl', words, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = outcomeOf(child);
  try {
    for await (const line of createInterface({ input: child.stdout }))
      if (line.startsWith('{')) yield JSON.parse(line) as Entry;
    await ended;
  } finally {
    child.kill();
  }
}

function outcomeOf(child: ChildProcess): Promise<void> {
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8');
  });
  const outcome = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0 || code === null) resolve();
      else reject(new Error(`journalctl: ${said.trim() || `exit code ${code}`}`));
    });
  });
  // Whoever has read enough ends it, and waits for nothing.
  outcome.catch(() => undefined);
  return outcome;
}
