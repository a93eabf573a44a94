// Orders and answers between two processes: what travels together, what fails, and what becomes of it at the end.
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { ProcessChannel } from '#kernel/process-channel.ts';

class End extends EventEmitter {
  connected = true;
  other: End | null = null;
  sent = 0;

  send(message: unknown, done: (error: Error | null) => void): void {
    this.sent += 1;
    setImmediate(() => {
      this.other?.emit('message', structuredClone(message));
      done(null);
    });
  }
}

type Sums = {
  add(pair: readonly [number, number]): Promise<number>;
  fail(code: string): void;
  rest(input: null): void;
};

function channels() {
  const [here, there] = [new End(), new End()];
  here.other = there;
  there.other = here;
  const asker = new ProcessChannel<Sums>(here);
  const failures: string[] = [];
  const orders = {
    add: async ([one, other]: readonly [number, number]) => one + other,
    fail: (code: string) => {
      throw Object.assign(new Error('no such luck'), { code });
    },
    rest: () => new Promise(() => undefined),
  };
  new ProcessChannel(there).obeys(orders, (name, error) => failures.push(`${name}: ${error}`));
  return { here, there, asker, failures };
}

test('what is asked in one turn travels together, and each gets its own answer', async () => {
  const { here, there, asker } = channels();
  const sums = await Promise.all([1, 2, 3].map((number) => asker.ask('add', [number, 10])));
  expect([sums, here.sent, there.sent]).toEqual([[11, 12, 13], 1, 1]);
});

test('a refusal comes back with its code, and an order that nobody knows is one', async () => {
  const { asker } = channels();
  await expect(asker.ask('fail', 'EBUSY')).rejects.toMatchObject({ message: 'no such luck', code: 'EBUSY' });
  await expect((asker as unknown as ProcessChannel<{ x(i: null): void }>).ask('x', null)).rejects.toThrow(
    'knows no order "x"',
  );
});

test('an order without an answer that fails is told where it failed', async () => {
  const { asker, failures } = channels();
  asker.tell('fail', 'EBUSY');
  await expect(asker.ask('add', [1, 2])).resolves.toBe(3);
  expect(failures).toEqual(['fail: Error: no such luck']);
});

test('nobody waits for a process that has ended, or longer than they want to', async () => {
  const { here, asker } = channels();
  await expect(asker.ask('rest', null, 20)).rejects.toThrow('does not answer (rest)');
  const asked = asker.ask('rest', null);
  here.emit('disconnect');
  await expect(asked).rejects.toThrow('has ended');
  here.connected = false;
  await expect(asker.ask('add', [1, 2])).rejects.toThrow('has ended');
});
