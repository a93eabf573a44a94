import { z } from 'zod';

/** An item with what is under it. */
type Node = Record<string, unknown> & { children: Node[] };

/** The view of an item with those of the items under it. @param id names it in the document */
export function nodeOf(view: z.ZodObject, id: string): z.ZodObject {
  const node: z.ZodObject = z
    .object({
      ...view.shape,
      get children(): z.ZodArray {
        return z.array(node);
      },
    })
    .meta({ id });
  return node;
}

/**
 * Puts items under each other, in their order. One whose parent is not among them, because a filter left it out, stands
 * at the top.
 */
export function treeOf(
  items: readonly { readonly id: string; readonly under: string | null; readonly view: object }[],
): Node[] {
  const nodes = new Map(items.map(({ id, view }): [string, Node] => [id, { ...view, children: [] }]));
  const top: Node[] = [];
  for (const { id, under } of items) {
    const siblings = nodes.get(under ?? '')?.children ?? top;
    siblings.push(nodes.get(id) as Node);
  }
  return top;
}

/** The same items one after the other, each before those under it, which it does not hold. */
export const flatOf = (nodes: readonly Node[]): Node[] =>
  nodes.flatMap(({ children, ...node }) => [{ ...node, children: [] }, ...flatOf(children)]);
