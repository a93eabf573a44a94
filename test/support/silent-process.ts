// A process like the first one of a server, and one beside it that watches it. A byte on stdin lets the first stand still.
import { fork } from 'node:child_process';
import { ProcessChannel } from '#kernel/process-channel.ts';
import { watchProcess } from '#kernel/silent-process.ts';
import { endSilent } from '../../src/app/workers/silent-first.ts';

const LOOKS = { everyMs: 300, looks: 10 };

if (process.send === undefined) {
  const beside = fork(import.meta.filename, [], { serialization: 'advanced' });
  new ProcessChannel(beside).obeys({ live: () => undefined }, () => undefined);
  process.stdin.once('data', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
  process.stdout.write(`${beside.pid}\n`);
} else {
  const first = process.ppid;
  const channel = new ProcessChannel<{ live(input: null): void }>(process);
  watchProcess({ ask: () => channel.ask('live', null), ...LOOKS, onSilent: () => endSilent(first) });
  process.on('disconnect', () => process.exit());
}
