import { createContext, type VNode } from "preact";
import { useCallback, useContext, useEffect, useState } from "preact/hooks";
import type { Api } from "../shell/api.tsx";

/** Reads an image file of the machine Hermes runs on. */
export type ReadImage = (path: string, signal: AbortSignal) => Promise<Blob>;

/** For the words of one conversation: paths in them are seen from its folder. */
export const ImageFiles = createContext<ReadImage | undefined>(undefined);

export function useImageFiles(api: Api, session: string | undefined): ReadImage {
  return useCallback(
    (path, signal) => api.blob(`image?${new URLSearchParams({ path, session: session ?? "" })}`, signal),
    [api, session],
  );
}

/** An image of this machine, where it can be read; otherwise its name. */
export function LocalImage({ path, name }: { readonly path: string; readonly name: string }): VNode {
  const read = useContext(ImageFiles);
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const gone = new AbortController();
    let made: string | undefined;
    void read?.(path, gone.signal).then(
      (blob) => {
        if (gone.signal.aborted) return;
        made = URL.createObjectURL(blob);
        setAddress(made);
      },
      () => undefined,
    );
    return () => {
      gone.abort();
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [path, read]);
  return address === undefined ? <code>{path}</code> : <img src={address} alt={name === "" ? path : name} />;
}

/** The path that an address of an image means; undefined for one elsewhere. */
export function pathOf(href: string): string | undefined {
  if (href.startsWith("file://")) return decodeURIComponent(href.slice("file://".length));
  return /^[a-z][a-z0-9+.-]*:|^\/\//i.test(href) ? undefined : href;
}
