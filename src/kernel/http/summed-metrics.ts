import { AggregatorRegistry, type Registry } from 'prom-client';

/** Figures of one process, as prom-client gives them to be added up. */
export type OwnFigures = readonly object[];

interface Figure {
  readonly name: string;
  readonly type: string;
  readonly aggregator: string;
}

/** What prom-client would leave out or average: when the server started, and a process that stands still. */
const ADDED_BY: readonly [RegExp, string][] = [
  [/^process_start_time_seconds$/, 'first'],
  [/^nodejs_eventloop_lag_/, 'max'],
];

/** Prepares the figures of one process to be added up with others. */
export const toBeAdded = (figures: OwnFigures): OwnFigures =>
  (figures as readonly Figure[]).map((figure) => {
    const [, aggregator] = ADDED_BY.find(([name]) => name.test(figure.name)) ?? [];
    return aggregator === undefined ? figure : { ...figure, aggregator };
  });

/** @param all the first process first */
export const sumOf = (all: readonly OwnFigures[]): Registry => AggregatorRegistry.aggregate([...all]);

/** What of figures goes on to count once its process has ended: a sum that falls looks like a restart. */
export async function lasting(all: readonly OwnFigures[]): Promise<OwnFigures> {
  const figures = (await sumOf(all).getMetricsAsJSON()) as unknown as Figure[];
  return figures.filter(({ type }) => ['counter', 'histogram'].includes(type));
}
