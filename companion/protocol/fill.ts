/** Sentences with places: `{name}` is filled in, `{count file|files}` is a number with the noun for one or for several. */
import { counted } from './counted.ts';

/** What is put in by its name. A sentence that lacks a value, or is given one that it has no place for, does not compile. */
type Values<Text extends string, Value> = {
  readonly [Place in PlaceIn<Text> as Place extends `${infer Name} ${string}` ? Name : Place]: Place extends `${string} ${string}`
    ? number
    : Value;
};

/** The values of a text as arguments: none where it has no place. */
export type Given<Text extends string, Value> = keyof Values<Text, Value> extends never ? [] : [values: Values<Text, Value>];

type PlaceIn<Text extends string> = Text extends `${string}{${infer Place}}${infer Rest}` ? Place | PlaceIn<Rest> : never;

/** Puts the values into a text. */
export const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(PLACE, (whole, name: string, one?: string, several?: string) => {
    const value = values[name] ?? whole;
    return one === undefined ? String(value) : counted(Number(value), one, several);
  });

/** The names of the places in a text. */
export const placesIn = (text: string): string[] => [...text.matchAll(PLACE)].map(([, name = '']) => name);

const PLACE = /\{(\w+)(?: ([^|{}]+)\|([^{}]+))?\}/g;
