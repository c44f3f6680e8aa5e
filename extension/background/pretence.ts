/** What a tab pretends, which may be set by several sessions: each gives back what it has set, and nothing of another. Pure. */
import * as z from 'zod';
import { type EmulationName, isEmulationName } from './emulation.ts';
import { routesIn, toEmulated } from './routes.ts';

const Params = z.record(z.string(), z.unknown());
type Params = z.infer<typeof Params>;

/** One thing that a session has set. */
const Layer = z.object({ by: z.string().nullable(), name: z.string().refine(isEmulationName), params: Params });
type Layer = z.infer<typeof Layer>;

export const Pretence = z.object({
  /** The origin of the page for which it was set in a tab of the person's; null in the session's own, where it holds for every page. */
  site: z.string().nullable().default(null),
  /** What was set last is the last. */
  layers: z.array(Layer),
});
export type Pretence = z.infer<typeof Pretence>;

/** The same after a session has set something there, or with null has given it back. */
export const withLayer = (layers: readonly Layer[], { by, name }: Omit<Layer, 'params'>, params: Params | null): Layer[] => [
  ...layers.filter((layer) => layer.by !== by || layer.name !== name),
  ...(params === null ? [] : [{ by, name, params }]),
];

/** What holds of it: what was set last, but of routes and of the look what each has set. */
export const inEffect = (layers: readonly Layer[], name: EmulationName): Params | null => {
  const set = layers.flatMap((layer) => (layer.name === name ? [layer.params] : []));
  if (name === 'routes') return toEmulated(set.flatMap(routesIn));
  return name === 'media' && set.length > 1 ? mergedLook(set) : (set.at(-1) ?? null);
};

/** All that holds. */
export const waysIn = (layers: readonly Layer[]): ReadonlyMap<EmulationName, Params> =>
  new Map(
    layers.flatMap(({ name }) => {
      const params = inEffect(layers, name);
      return params === null ? [] : [[name, params] as const];
    }),
  );

const Look = z.object({
  media: z.string().default(''),
  features: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
});

const mergedLook = (set: readonly Params[]): Params => {
  const looks = set.map((params) => Look.parse(params));
  const features = new Map(looks.flatMap((look) => look.features.map((feature) => [feature.name, feature] as const)));
  return { media: looks.findLast(({ media }) => media !== '')?.media ?? '', features: [...features.values()] };
};
