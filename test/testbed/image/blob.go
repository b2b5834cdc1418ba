package image

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// blob is one part of an image. It is written twice instead of being held in
// memory: once for its size and digest, once into the archive.
type blob struct {
	v1.Descriptor
	write func(io.Writer) error
}

// describe returns the blob of what write writes.
func describe(media types.MediaType, write func(io.Writer) error) (blob, error) {
	digest, size := sha256.New(), counter(0)
	if err := write(io.MultiWriter(digest, &size)); err != nil {
		return blob{}, err
	}
	return blob{
		Descriptor: v1.Descriptor{
			MediaType: media, Size: int64(size),
			Digest: v1.Hash{Algorithm: "sha256", Hex: hex.EncodeToString(digest.Sum(nil))},
		},
		write: write,
	}, nil
}

// encode returns the blob of a JSON document.
func encode(media types.MediaType, document any) (blob, error) {
	b, err := json.Marshal(document)
	if err != nil {
		return blob{}, err
	}
	return describe(media, func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(b))
		return err
	})
}

// counter counts the bytes that are written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
