// What a server answers at /metrics, read as Prometheus reads it.

export type MetricSample = { name: string; labels: Record<string, string>; value: number };

export type MetricsText = {
  /** By the name of the metric. */
  types: Map<string, string>;
  helps: Map<string, string>;
  samples: MetricSample[];
  /** The value of one sample; undefined when there is none with exactly these labels. */
  value(name: string, labels?: Record<string, string>): number | undefined;
};

/** @throws Error for a line that is no part of the text format */
export function parseMetrics(text: string): MetricsText {
  const types = new Map<string, string>();
  const helps = new Map<string, string>();
  const samples: MetricSample[] = [];
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const [, word, name = '', rest = ''] = /^# (HELP|TYPE) (\w+) (.+)$/.exec(line) ?? [];
    if (word === 'HELP') helps.set(name, rest);
    else if (word === 'TYPE') types.set(name, rest);
    else samples.push(parseSample(line));
  }
  const same = (one: Record<string, string>, other: Record<string, string>): boolean =>
    JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());
  return {
    types,
    helps,
    samples,
    value: (name, labels = {}) => samples.find((one) => one.name === name && same(one.labels, labels))?.value,
  };
}

function parseSample(line: string): MetricSample {
  const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (name === undefined) throw new Error(`not a line of metrics: ${line}`);
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key, text]);
  return { name, labels: Object.fromEntries(pairs), value: Number(value) };
}
