// What use cases answer: a command loads it without the engine of resources.
const besides = Symbol('beside');

/** An item with what is answered beside it, such as a secret that is shown this once. */
export interface Beside<Row> {
  readonly [besides]: true;
  readonly row: Row;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Answers an item and further fields; those are declared in `beside`. */
export const beside = <Row>(row: Row, fields: Readonly<Record<string, unknown>>): Beside<Row> => ({
  [besides]: true,
  row,
  fields,
});

/** Whether a use case answered more than the item. */
export const hasBeside = <Row>(answer: Row | Beside<Row>): answer is Beside<Row> =>
  typeof answer === 'object' && answer !== null && besides in answer;
