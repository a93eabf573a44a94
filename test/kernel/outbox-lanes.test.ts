// Which target has its turn, and how much is claimed for it (reliability M6).
import { expect, test } from 'vitest';
import type { Held } from '#kernel/outbox/claims/repository.ts';
import { Lanes } from '#kernel/outbox/lanes.ts';

const held = (target: string, n: number): Held => ({
  entry: { id: `${target}${n}`, kind: 'test', refId: '', target, attempts: 0, isCounted: false },
  availableAt: `2026-03-01T12:00:00.${String(n).padStart(3, '0')}Z`,
  token: 't',
  until: '',
});

/** Claims all that is asked for. */
function claim(lanes: Lanes, from = 0): void {
  for (const ask of lanes.asks())
    lanes.add(
      ask,
      Array.from({ length: ask.count }, (_, i) => held(ask.target, from + i)),
    );
}

const takeAll = (lanes: Lanes): string[] => {
  const taken: string[] = [];
  for (let next = lanes.take(); next !== null; next = lanes.take()) taken.push(next.entry.id);
  return taken;
};

test('no more is claimed for a new target than can begin', () => {
  const lanes = new Lanes();
  lanes.see(['a', 'b']);
  expect(lanes.asks()).toEqual([
    { target: 'a', count: 2, failing: null },
    { target: 'b', count: 2, failing: null },
  ]);
  claim(lanes);
  expect(takeAll(lanes)).toEqual(['a0', 'b0', 'a1', 'b1']);
  expect(lanes.isHungry).toBe(false);
});

test('20 places in all: the eleventh target waits, and comes first when a place is free', () => {
  const lanes = new Lanes();
  const targets = Array.from({ length: 11 }, (_, i) => `t${String(i).padStart(2, '0')}-`);
  lanes.see(targets);
  claim(lanes);
  expect(takeAll(lanes)).toHaveLength(20);
  expect(lanes.asks()).toEqual([]);
  lanes.answered('t00-', 1000);
  // The place of the target is free, that in all only when the outcome is written.
  expect(lanes.asks()).toEqual([]);
  lanes.settled('t00-');
  expect(lanes.asks()[0]).toEqual({ target: 't10-', count: 1, failing: null });
});

test('more is claimed ahead for a target that answers at once, and does not take the places of others', () => {
  const lanes = new Lanes();
  lanes.see(['a']);
  claim(lanes);
  takeAll(lanes);
  lanes.answered('a', 3);
  lanes.settled('a');
  const [ask] = lanes.asks();
  expect(ask?.count).toBe(25);
  claim(lanes, 2);
  expect(takeAll(lanes)).toEqual(['a2']);
  lanes.see(['a', 'b']);
  expect(lanes.asks()).toEqual([{ target: 'b', count: 2, failing: null }]);
});

test('what is claimed later but is older goes first', () => {
  const lanes = new Lanes();
  lanes.see(['a']);
  lanes.add({ target: 'a', count: 2, failing: null }, [held('a', 5), held('a', 7)]);
  lanes.add({ target: 'a', count: 1, failing: null }, [held('a', 6)]);
  expect(takeAll(lanes)).toEqual(['a5', 'a6']);
});

test('a target that nothing waits for is forgotten', () => {
  const lanes = new Lanes();
  lanes.see(['a']);
  claim(lanes);
  takeAll(lanes);
  for (let i = 0; i < 2; i++) {
    lanes.answered('a', 3);
    lanes.settled('a');
  }
  lanes.see([]);
  lanes.see(['a']);
  expect(lanes.asks()).toEqual([{ target: 'a', count: 2, failing: null }]);
  expect(lanes.empty()).toEqual([]);
});
