// Constants of a statement in its text: what is written, what stays bound, and in which order.
import { describe, expect, it } from 'vitest';
import { withConstantTexts } from '#kernel/db/statement.ts';

const constant = (value: unknown) => ({ constant: value });

describe('the SQL of SQLite', () => {
  it('has plain constant texts in it, and binds the rest in its order', () => {
    const order = ['key', constant('active'), constant(7), constant("it's"), 'last'];
    expect(withConstantTexts('a = ? and b = ? and c > ? and d = ? or e = ?', order)).toEqual({
      sql: "a = ? and b = 'active' and c > ? and d = ? or e = ?",
      order: ['key', constant(7), constant("it's"), 'last'],
    });
  });

  it('keeps question marks within quotes', () => {
    expect(withConstantTexts(`"why?" = ? and \`a?\` = 'it''s ?' and b = ?`, [constant('x'), 'y'])).toEqual({
      sql: `"why?" = 'x' and \`a?\` = 'it''s ?' and b = ?`,
      order: ['y'],
    });
  });
});

describe('the SQL of Postgres', () => {
  it('counts what is still bound anew, one that is named twice once', () => {
    const order = [constant('held'), 'a', constant('gone'), 'b'];
    expect(withConstantTexts("x = $1 and y = $2 and z = $3 and ('$9' = $4 or y > $2)", order)).toEqual({
      sql: "x = 'held' and y = $1 and z = 'gone' and ('$9' = $2 or y > $1)",
      order: ['a', 'b'],
    });
  });
});
