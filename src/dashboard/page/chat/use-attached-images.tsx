import { useState } from "preact/hooks";

export interface AttachedImages {
  /** As data URLs. */
  readonly images: readonly string[];
  attach(files: FileList | null | undefined): void;
  remove(index: number): void;
  clear(): void;
}

/** The images that go with the next message; files of other kinds are left out. */
export function useAttachedImages(): AttachedImages {
  const [images, setImages] = useState<readonly string[]>([]);
  const attach = (files: FileList | null | undefined): void => {
    for (const file of files ?? []) {
      if (!file.type.startsWith("image/")) continue;
      const reader = new FileReader();
      reader.onload = () => setImages((before) => [...before, String(reader.result)]);
      reader.readAsDataURL(file);
    }
  };
  const remove = (index: number): void => setImages((before) => before.filter((_, at) => at !== index));
  return { images, attach, remove, clear: () => setImages([]) };
}
