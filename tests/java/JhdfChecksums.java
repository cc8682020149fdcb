import io.jhdf.HdfFile;
import io.jhdf.api.Dataset;
import io.jhdf.api.Group;
import io.jhdf.api.Node;
import io.jhdf.object.datatype.DataType;
import io.jhdf.object.datatype.FixedPoint;
import io.jhdf.object.datatype.FloatingPoint;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Array;
import java.math.BigInteger;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.zip.CRC32;

/**
 * Reads HDF5 files with jHDF and prints what it finds, for tests/test_jhdf.py.
 *
 * <p>Standard input names one file per line. Each line of the output has four fields between tabs:
 * the number of the file (from 0), the path of an object (URL-encoded), a word, and what belongs to
 * it. The words: {@code values} (shape, a space, CRC-32 of the elements as little-endian bytes in
 * row-major order), {@code unstored} (shape of a dataset all of whose elements are its fill value),
 * {@code other} (a dataset that is not of integers or floats), {@code unread} (why an object could
 * not be read).
 */
public final class JhdfChecksums {
    private final PrintStream out;
    private final int number;
    /** Addresses of the groups around the current one: hard links can form circles. */
    private final Deque<Long> ancestors = new ArrayDeque<>();

    private JhdfChecksums(PrintStream out, int number) {
        this.out = out;
        this.number = number;
    }

    public static void main(String[] arguments) throws IOException {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        int number = 0;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            new JhdfChecksums(out, number).file(Path.of(line));
            number++;
        }
        out.flush();
    }

    private void file(Path path) {
        try (HdfFile file = new HdfFile(path)) {
            group(file, "");
        } catch (RuntimeException error) {
            unread("/", error);
        }
    }

    private void group(Group group, String path) {
        if (ancestors.contains(group.getAddress())) {
            return;
        }
        ancestors.push(group.getAddress());
        try {
            group.getChildren().forEach((name, child) -> node(child, path + "/" + name));
        } catch (RuntimeException error) {
            unread(path + "/", error);
        }
        ancestors.pop();
    }

    private void node(Node node, String path) {
        try {
            if (node.isLink()) {
                return; // Soft and external: what they lead to has a name of its own.
            }
            if (node instanceof Group) {
                group((Group) node, path);
            } else if (node instanceof Dataset) {
                dataset((Dataset) node, path);
            }
        } catch (RuntimeException error) {
            unread(path, error);
        }
    }

    private void dataset(Dataset dataset, String path) {
        DataType type = dataset.getDataType();
        if (!(type instanceof FixedPoint || type instanceof FloatingPoint)) {
            print(path, "other", type.getClass().getSimpleName());
            return;
        }
        String shape = Arrays.toString(dataset.getDimensions()).replace(" ", "");
        CRC32 checksum = new CRC32();
        if (dataset.getSize() > 0) {
            if (dataset.isEmpty()) {
                print(path, "unstored", shape);
                return;
            }
            checksum.update(littleEndian(dataset.getDataFlat(), type));
        }
        print(path, "values", shape + " " + checksum.getValue());
    }

    /** The elements as jHDF understood them; it widens unsigned integers, which is undone here. */
    private static byte[] littleEndian(Object elements, DataType type) {
        int count = Array.getLength(elements);
        int size = type.getSize();
        ByteBuffer bytes =
                ByteBuffer.allocate(Math.multiplyExact(count, size)).order(ByteOrder.LITTLE_ENDIAN);
        if (type instanceof FloatingPoint && size == Double.BYTES) {
            bytes.asDoubleBuffer().put((double[]) elements);
        } else if (type instanceof FloatingPoint && size == Float.BYTES) {
            bytes.asFloatBuffer().put((float[]) elements);
        } else if (type instanceof FloatingPoint) {
            throw new IllegalStateException("is of floats of " + size + " bytes");
        } else {
            for (int i = 0; i < count; i++) {
                long element =
                        elements instanceof BigInteger[]
                                ? ((BigInteger[]) elements)[i].longValue()
                                : Array.getLong(elements, i);
                for (int shift = 0; shift < size; shift++) {
                    bytes.put((byte) (element >> (Byte.SIZE * shift)));
                }
            }
        }
        return bytes.array();
    }

    private void unread(String path, RuntimeException error) {
        Throwable cause = error;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        print(path, "unread", cause.toString().replaceAll("\\s+", " "));
    }

    private void print(String path, String word, String what) {
        String name = URLEncoder.encode(path, StandardCharsets.UTF_8);
        out.print(number + "\t" + name + "\t" + word + "\t" + what + "\n");
    }
}
