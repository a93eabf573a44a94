// What a point of a chart stands for: days, weeks from 91 days on, months beyond two years.
import { expect, it } from 'vitest';
import { grainOf, spansOf, zoomQuery } from '#platform/charts/index.ts';

const days = (from: string, count: number) =>
  Array.from({ length: count }, (_, at) =>
    new Date(Date.parse(`${from}T00:00:00Z`) + at * 86_400_000).toISOString().slice(0, 10),
  );

it('grows with the range', () => {
  expect([1, 90, 91, 731, 732].map(grainOf)).toEqual(['day', 'day', 'week', 'week', 'month']);
});

it('makes whole weeks and months; the last one may be under way, one cut at its start is left out', () => {
  // A Wednesday.
  const range = days('2025-01-01', 40);
  expect(spansOf(range, 'day')).toHaveLength(40);
  const weeks = spansOf(range, 'week');
  expect(weeks.map(({ from, to }) => [from, to])).toEqual([
    ['2025-01-06', '2025-01-12'],
    ['2025-01-13', '2025-01-19'],
    ['2025-01-20', '2025-01-26'],
    ['2025-01-27', '2025-02-02'],
    ['2025-02-03', '2025-02-09'],
  ]);
  expect(weeks[0]).toMatchObject({ start: 5, end: 12 });
  const months = spansOf(days('2024-02-10', 30), 'month');
  expect(months).toEqual([{ from: '2024-03-01', to: '2024-03-10', start: 20, end: 30 }]);
  expect(spansOf([], 'week')).toEqual([]);
});

it('zooms to the times of its days', () => {
  expect(zoomQuery({ from: '2024-02-26', to: '2024-02-29' })).toBe(
    'from=2024-02-26T00%3A00%3A00Z&to=2024-03-01T00%3A00%3A00Z',
  );
});
