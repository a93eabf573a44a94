// A server that speaks S3, in the network of a machine: a process of this machine, which has Node.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Machine } from './debian-machine.ts';

/** A bucket, and the account that may use it. */
export interface MachineBucket {
  readonly address: string;
  readonly port: number;
  readonly name: string;
  readonly id: string;
  readonly secret: string;
}

/** Starts it, and waits until it listens. @throws Error when it does not start */
export async function startBucket(
  { pid }: Machine,
  bucket: MachineBucket,
  folder: string,
): Promise<{ stop(): void }> {
  const script = join(import.meta.dirname, 'machine-bucket-process.ts');
  const words = ['-t', String(pid), '-n', process.execPath, script, JSON.stringify({ ...bucket, folder })];
  const child = spawn('nsenter', words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const begun = await Promise.race([once(child.stdout, 'data'), once(child, 'exit').then(() => null)]);
  if (begun === null) throw new Error('the bucket of the machines did not start');
  return { stop: () => void child.kill() };
}
