/** SQL of one statement in one dialect, compiled once; `order` names the parameter of each placeholder. */
export interface Compiled {
  readonly id: number;
  readonly sql: string;
  readonly order: readonly (string | { constant: unknown })[];
}
