// The servers that are compared, and what each is asked.

export const targetNames = [
  'limit',
  'validate',
  'validate-few',
  'check',
  'update-check',
  'naive-validate',
  'activate',
  'naive-activate',
  'heartbeat',
  'record-usage',
] as const;

export type TargetName = (typeof targetNames)[number];

/** The request that a slice repeats. */
export type LoadKind = 'validate' | 'check' | 'update-check' | 'activate' | 'heartbeat' | 'record-usage';

export interface Target {
  name: TargetName;
  label: string;
  /** Server in this folder. */
  script: string;
  load: LoadKind;
  database: 'large' | 'few';
}

/** Targets that take turns with each other, so that the machine's noise hits all alike. */
export const turns: readonly (readonly Target[])[] = [
  [
    {
      name: 'limit',
      label: '(a) limit: node:http, prepared',
      script: 'limit.ts',
      load: 'validate',
      database: 'large',
    },
    { name: 'validate', label: '(b) validate', script: 'appctl.ts', load: 'validate', database: 'large' },
    {
      name: 'validate-few',
      label: '(b) validate, few licenses',
      script: 'appctl.ts',
      load: 'validate',
      database: 'few',
    },
    { name: 'check', label: '(c) check', script: 'appctl.ts', load: 'check', database: 'large' },
    {
      name: 'update-check',
      label: '(i) update check',
      script: 'appctl.ts',
      load: 'update-check',
      database: 'large',
    },
    {
      name: 'naive-validate',
      label: '(e) naive validate: knex',
      script: 'naive-validate.ts',
      load: 'validate',
      database: 'large',
    },
  ],
  [
    {
      name: 'activate',
      label: '(d) activate, durable',
      script: 'appctl.ts',
      load: 'activate',
      database: 'large',
    },
    {
      name: 'naive-activate',
      label: '(f) naive activate: knex',
      script: 'naive-activate.ts',
      load: 'activate',
      database: 'large',
    },
  ],
  [
    {
      name: 'heartbeat',
      label: '(g) heartbeat, durable',
      script: 'appctl.ts',
      load: 'heartbeat',
      database: 'large',
    },
    {
      name: 'record-usage',
      label: '(h) record-usage, durable',
      script: 'appctl.ts',
      load: 'record-usage',
      database: 'large',
    },
  ],
];
