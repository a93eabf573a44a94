/**
 * Reads a file of answers: TOML with one name per line, `owner-email = "ann@example.com"`.
 *
 * @returns texts by name; a switch that is true stands as `true`, one that is false is left out
 * @throws Error with the parser's reason, or naming a value that is neither text, number nor switch
 */
export async function parseAnswers(text: string): Promise<Map<string, string | true>> {
  const { parse } = await import('smol-toml');
  const answers = new Map<string, string | true>();
  for (const [name, value] of Object.entries(parse(text))) {
    if (value === false) continue;
    if (value === true || typeof value === 'string') answers.set(name, value);
    else if (typeof value === 'number' || typeof value === 'bigint') answers.set(name, String(value));
    else throw new Error(`${name} is neither a text, a number nor a switch`);
  }
  return answers;
}
