// The newest lines of a log in memory: bounded by number and by size.
import { expect, it } from 'vitest';
import { LogRing } from '#kernel/log-ring.ts';

const kept = (ring: LogRing) => [...ring.newest()];

it('keeps the newest 2,000 lines', () => {
  const ring = new LogRing();
  expect(kept(ring)).toEqual([]);
  for (let i = 1; i <= 4500; i += 1) ring.write(`line ${i}`);
  const lines = kept(ring);
  expect(lines).toHaveLength(2000);
  expect([lines[0], lines.at(-1)]).toEqual([
    { seq: 4500, text: 'line 4500' },
    { seq: 2501, text: 'line 2501' },
  ]);
});

it('keeps two megabytes, and a longer line alone', () => {
  const ring = new LogRing();
  for (let i = 0; i < 100; i += 1) ring.write('x'.repeat(100_000));
  expect(kept(ring)).toHaveLength(20);
  ring.write('y'.repeat(3_000_000));
  expect(kept(ring).map(({ seq }) => seq)).toEqual([101]);
  ring.write('z');
  expect(kept(ring).map(({ text }) => text)).toEqual(['z']);
});

it('tells listeners of each line until they leave', () => {
  const ring = new LogRing();
  const heard: number[] = [];
  const leave = ring.listen(({ seq }) => heard.push(seq));
  ring.write('one');
  ring.write('two');
  leave();
  ring.write('three');
  expect(heard).toEqual([1, 2]);
});

it('keeps every line whole, wherever it comes to lie', () => {
  const ring = new LogRing();
  const textOf = (i: number): string => `${'é€𝄞'.repeat(i % 700)} ${i}`;
  for (let i = 1; i <= 5000; i += 1) ring.write(textOf(i));
  const lines = kept(ring);
  expect(lines.length).toBeGreaterThan(300);
  expect(lines).toEqual(lines.map((_, i) => ({ seq: 5000 - i, text: textOf(5000 - i) })));
});

it('reads lines while others are written', () => {
  const ring = new LogRing();
  for (let i = 1; i <= 3; i += 1) ring.write(`${i}`);
  const lines = ring.newest();
  lines.next();
  for (let i = 4; i <= 4000; i += 1) ring.write(`${i}`);
  expect([...lines].map(({ text }) => text)).toEqual([]);
});
